import { hasOwnHost, matchOperation } from '../document/index.ts';
import { isPublic } from '../conformance/public-operation.ts';
import { type ConformanceOptions, responseViolations } from '../conformance/response.ts';
import type { ApiDocument } from '../document/model.ts';
import { ownDocument } from '../document/own-document.ts';
import type { ConformanceRecord } from './conformance-record.ts';
import { type HttpClient, NoResponseError } from './http-client.ts';
import type { HttpResponse, Check, CheckContext, CredentialName, Exchange, RequestSpec, Target } from './model.ts';
import type { Pacing } from './pacing.ts';
import type { Selection } from './selection.ts';

const retries = 2;

/** After so many requests without a response a check is over, so that none waits for a target that hangs again and again. */
const mostWithoutResponse = 3;

/** What all checks of a run share. */
export interface SessionOptions extends ConformanceOptions {
  readonly target: Target;
  readonly client: HttpClient;
  readonly pacing: Pacing;
  /** Told of every exchange; absent where the suite only prepares or cleans up. */
  readonly record?: ConformanceRecord;
  readonly seed: number;
  /** The file of the document, if it is not the project's own. */
  readonly documentFile?: string;
  /** Once it is aborted nothing more is sent; its reason is the error that says why. */
  readonly signal?: AbortSignal;
  /** Which checks are run; by default all. */
  readonly selection?: Selection;
  /** Leaves the rest of a layer not run once one of its checks has failed. */
  readonly stopAtFirstFailure?: boolean;
}

/** The exchanges of one check, and the context through which it makes them. */
export class Session implements CheckContext {
  readonly exchanges: Exchange[] = [];
  readonly #options: SessionOptions;
  readonly #check: Pick<Check, 'needs'>;
  readonly #inFlight = new Set<Promise<HttpResponse>>();

  constructor(options: SessionOptions, check: Pick<Check, 'needs'>) {
    this.#options = options;
    this.#check = check;
  }

  get credentials() {
    return this.#options.target.credentials;
  }

  get operator() {
    return this.#options.target.operator;
  }

  get respondsWithExamples() {
    return this.#options.target.respondsWithExamples === true;
  }

  get document(): ApiDocument {
    return this.#options.document ?? ownDocument;
  }

  get seed() {
    return this.#options.seed;
  }

  credential(name: CredentialName): string {
    const value = this.credentials[name];
    if (value === undefined || !this.#check.needs.includes(name))
      throw new Error(`The check uses ${name} without having said that it needs it.`);
    return value;
  }

  async call(request: RequestSpec): Promise<HttpResponse> {
    const { pacing, signal } = this.#options;
    const url = this.urlOf(request);
    for (let attempt = 0; ; attempt += 1) {
      const response = await this.#exchange(url, request);
      const retryAfter = Number(response.headers['retry-after']);
      const wantsLimit = this.#check.needs.includes('exhausting-limits');
      if (response.status !== 429 || wantsLimit || attempt === retries || !(retryAfter >= 1)) return response;
      await pacing.wait(retryAfter, signal);
    }
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

  async #exchange(url: string, request: RequestSpec): Promise<HttpResponse> {
    const { client, pacing, signal, allowExtraFields, record } = this.#options;
    const operation = matchOperation(this.document, request.method, request.path);
    const open = operation !== undefined && isPublic(operation);
    if (this.exchanges.filter((exchange) => exchange.response === undefined).length >= mostWithoutResponse)
      throw new NoResponseError(`${mostWithoutResponse} requests of this check have got no response`);
    if (!this.#check.needs.includes('exhausting-limits')) await pacing.beforeRequest(request, signal, open);
    signal?.throwIfAborted();
    const sending = client.send(url, request);
    this.#inFlight.add(sending);
    let response: HttpResponse;
    try {
      response = await sending;
    } catch (error) {
      this.exchanges.push({ request, url, violations: [] });
      throw error;
    } finally {
      this.#inFlight.delete(sending);
    }
    pacing.afterResponse(request, response, open);
    const violations = responseViolations(request.method, request.path, response, {
      allowExtraFields,
      document: this.document,
    });
    const exchange = { request, url, response, violations };
    this.exchanges.push(exchange);
    record?.note(exchange);
    return response;
  }
}
