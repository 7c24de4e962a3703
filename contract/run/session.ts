import { hasOwnHost } from '../document/index.ts';
import { type ConformanceOptions, responseViolations } from '../oracle/response.ts';
import { isSafe } from '../oracle/request.ts';
import { type World, worldOf } from '../oracle/world.ts';
import type { ApiDocument } from '../document/model.ts';
import type { ConformanceRecord } from './conformance.ts';
import { NoResponseError } from './errors.ts';
import type { HttpClient } from './http-client.ts';
import { addressLimit, limitFrom, type Pacing } from './limits.ts';
import type {
  Check,
  CheckContext,
  CredentialName,
  Credentials,
  Exchange,
  HttpResponse,
  RequestSpec,
  Target,
} from './model.ts';
import type { Selection } from './selection.ts';
import { chooseAddress, chooseCredentials, type FailedAuthentications, spareOf } from './senders.ts';

const retries = 2;

/** A check ends after this many requests without a response, so that it does not wait for a target that keeps hanging. */
const mostWithoutResponse = 3;
const mostBroken = 100;

/** What all checks of a run share. */
export interface SessionOptions extends ConformanceOptions {
  readonly document: ApiDocument;
  readonly target: Target;
  readonly client: HttpClient;
  readonly pacing: Pacing;
  /** The local addresses to send from; undefined lets the system choose. */
  readonly addresses?: readonly (string | undefined)[];
  /** What spares failed authentications, if there is one address to send from. */
  readonly failedAuthentications?: FailedAuthentications;
  /** Told of every exchange; absent where the suite only prepares or cleans up. */
  readonly record?: ConformanceRecord;
  readonly seed: number;
  readonly others?: CheckContext['others'];
  /** The file of the document, if it is not the project's own. */
  readonly documentFile?: string;
  /** Once it is aborted, nothing more is sent; its reason is the error. */
  readonly signal?: AbortSignal;
  /** By a validator that the document has as an example, where the present one is read before a request is sent with it. */
  readonly validators?: ReadonlyMap<string, string>;
  /** How many checks that only read may run at once; by default one. */
  readonly workers?: number;
  /** Selects the checks that run before all others. */
  readonly first?: (check: Check) => boolean;
  /** Which checks are run; by default all. */
  readonly selection?: Selection;
  /** Leaves the rest of a layer not run once one of its checks has failed. */
  readonly stopAtFirstFailure?: boolean;
}

/** What a session must know of its check. */
type SessionCheck = Pick<Check, 'needs' | 'readsOnly' | 'isRefused' | 'usesSpares' | 'usesUp' | 'failsToAuthenticate'>;

/** The exchanges of one check, and the context through which it makes them. */
export class Session implements CheckContext {
  readonly exchanges: Exchange[] = [];
  measured: string | undefined;
  readonly #options: SessionOptions;
  readonly #check: SessionCheck;
  #chosen: { readonly credentials: Credentials; readonly from: string | undefined };
  readonly #world: World;
  readonly #inFlight = new Set<Promise<HttpResponse>>();
  readonly #withoutResponse = { hung: 0, broken: 0 };

  readonly allCredentials: Credentials;
  readonly operator: Target['operator'];
  readonly respondsWithExamples: boolean;
  readonly document: ApiDocument;
  readonly seed: number;
  readonly others: CheckContext['others'];

  constructor(options: SessionOptions, check: SessionCheck) {
    this.#options = options;
    this.#check = check;
    this.allCredentials = options.target.credentials;
    this.operator = options.target.operator;
    this.respondsWithExamples = options.target.respondsWithExamples === true;
    this.document = options.document;
    this.seed = options.seed;
    this.others = options.others;
    this.#world = worldOf(this.document, this.allCredentials);
    this.#chosen = this.#choose();
  }

  /** Those of the target, or spares with the same rights. */
  get credentials(): Credentials {
    return this.#chosen.credentials;
  }

  credential(name: CredentialName): string {
    const value = this.credentials[name];
    if (value === undefined || !this.#check.needs.includes(name))
      throw new Error(`The check uses ${name} without having said that it needs it.`);
    return value;
  }

  spare(name: CredentialName): string | undefined {
    return spareOf(this.allCredentials, this.credentials, name, this.#options.pacing);
  }

  tell(measured: string): void {
    this.measured = measured;
  }

  async call(given: RequestSpec): Promise<HttpResponse> {
    const request = await this.#withPresentValidator(given);
    const { pacing, signal, addresses = [], failedAuthentications } = this.#options;
    const { failsToAuthenticate, needs } = this.#check;
    const url = this.urlOf(request);
    const wantsLimit = needs.includes('exhausting-limits');
    let hasMoved = false;
    for (let attempt = 0; ;) {
      const limit = this.#limitOf(request);
      const known = limit === addressLimit(this.#chosen.from) ? failedAuthentications : undefined;
      const spared = failsToAuthenticate ? known : undefined;
      const earlier = spared?.earlierResponse(request);
      if (earlier) {
        this.exchanges.push({ request, url, response: earlier, violations: [] });
        return earlier;
      }
      const [left, seconds] = [pacing.leftOf(limit), wantsLimit ? 0 : pacing.secondsUsedUp(limit)];
      if (seconds > 0 && spared?.isSentAlthoughUsedUp(seconds) !== true) await pacing.wait(limit, seconds, signal);
      const response = await this.#exchange(url, request, limit);
      spared?.requireJudged(response, left);
      known?.keep(request, response);
      const retryAfter = Number(response.headers['retry-after']);
      if (response.status !== 429 || wantsLimit || attempt === retries || !(retryAfter >= 1)) return response;
      this.#chosen = { ...this.#chosen, from: this.#choose().from };
      // Another address may have a limit of its own. Behind a proxy, all of them may have one.
      if (!hasMoved && this.#limitOf(request) !== limit) {
        hasMoved = true;
        continue;
      }
      if (hasMoved) for (const address of addresses) pacing.onUsedUp(addressLimit(address), retryAfter);
      attempt += 1;
      await pacing.wait(limit, retryAfter, signal);
    }
  }

  /** What is sent otherwise may have changed what a request is conditional on. */
  async #withPresentValidator(request: RequestSpec): Promise<RequestSpec> {
    const { headers = [] } = request;
    const { validators } = this.#options;
    const condition = headers.find(([name, value]) => /^if-match$/i.test(name) && validators?.has(value));
    if (!condition) return request;
    const path = validators?.get(condition[1]) ?? '';
    const { etag = condition[1] } = (
      await this.call({ method: 'GET', path, headers: headers.filter(([name]) => !/^(if|content)-/i.test(name)) })
    ).headers;
    return { ...request, headers: headers.map((each) => (each === condition ? [each[0], etag] : each)) };
  }

  /** Resolves when no request is in flight any more. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
  }

  /** Whether the last request has got no response. */
  get withoutResponse(): boolean {
    const last = this.exchanges.at(-1);
    return last !== undefined && last.response === undefined;
  }

  /** Where a request goes: operations whose path has base addresses of its own are at `case_base_url`. */
  urlOf({ method, path }: RequestSpec): string {
    const base = hasOwnHost(this.document, method, path) ? this.credentials.case_base_url : this.credentials.base_url;
    return base.replace(/\/$/, '') + path;
  }

  /** Checks that run at once share limits, and so choose anew after each request: what they read is the same. */
  #choose() {
    const { target, pacing, addresses = [undefined] } = this.#options;
    return {
      // What is made of a credential to be refused does not spend its limit.
      credentials:
        this.#check.failsToAuthenticate && this.#check.usesSpares !== true
          ? target.credentials
          : chooseCredentials(target.credentials, this.#check, pacing),
      from: chooseAddress(addresses, this.#check, pacing),
    };
  }

  #limitOf(request: RequestSpec): string {
    return limitFrom(this.#chosen.from, request, this.#world);
  }

  async #exchange(url: string, request: RequestSpec, limit: string): Promise<HttpResponse> {
    const { client, pacing, signal, allowExtraFields, record } = this.#options;
    const { readsOnly = false, isRefused = false, usesSpares = false } = this.#check;
    const { from } = this.#chosen;
    if (readsOnly && !isRefused && !isSafe(request.method))
      throw new Error(`The check sends ${request.method}, and says that it reads only.`);
    const { hung, broken } = this.#withoutResponse;
    // A connection that breaks off costs no time, and what it takes to break it can be found.
    if (hung >= mostWithoutResponse || broken >= (usesSpares ? mostBroken : mostWithoutResponse))
      throw new NoResponseError(`${hung + broken} requests of this check have got no response`, { sent: false });
    const { afterBroken, behind = [] } = request.wire ?? {};
    await pacing.spaceOut(behind.length + (afterBroken ? 2 : 1), signal);
    signal?.throwIfAborted();
    pacing.onSending(limit);
    const received = record?.watch(request, limit);
    const sending = client.send(url, request, from);
    this.#inFlight.add(sending);
    let response: HttpResponse | undefined;
    try {
      response = await sending;
    } catch (error) {
      this.exchanges.push({ request, url, violations: [] });
      this.#withoutResponse[error instanceof NoResponseError && error.hung ? 'hung' : 'broken'] += 1;
      throw error;
    } finally {
      this.#inFlight.delete(sending);
      pacing.afterResponse(limit, response);
    }
    if (readsOnly || usesSpares) this.#chosen = this.#choose();
    const documented = responseViolations(request.method, request.path, response, {
      allowExtraFields,
      document: this.document,
    });
    const exchange = { request, url, response, violations: [...documented, ...(received?.(response) ?? [])] };
    this.exchanges.push(exchange);
    record?.note(exchange);
    return response;
  }
}
