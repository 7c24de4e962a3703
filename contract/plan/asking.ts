/** Asks situations in ways and in states of the target, and compares the responses, and what they leave, with the oracle. */
import type { Choice } from '../dimensions/choice.ts';
import { matchOperation } from '../document/index.ts';
import type { Operation } from '../document/model.ts';
import { NotOfferedError } from '../operator/open-operator.ts';
import { isMocked } from '../oracle/response.ts';
import { type Expected, expectedOf, limitOf } from '../oracle/expected.ts';
import { differenceFrom, faultOf } from '../oracle/judge.ts';
import { parsed } from '../oracle/json.ts';
import { isSafe } from '../oracle/request.ts';
import type { World } from '../oracle/world.ts';
import { Effects } from '../own-api/effects.ts';
import { switched } from '../own-api/outcomes.ts';
import { refusalFault } from '../own-api/response-rules.ts';
import type { Judgement } from '../own-api/rules.ts';
import { NoResponseError, UnmetPreconditionError, LongWaitError } from '../run/errors.ts';
import type { CheckContext, CredentialName, HttpResponse, Need, RequestSpec } from '../run/model.ts';
import { longestWaitSeconds } from '../run/limits.ts';
import { notProvokable, toldNeed } from '../run/run-checks.ts';
import { baselineOf } from './baseline.ts';
import type { Scene } from './parameters.ts';
import type { Situation } from './situations.ts';
import { awaitRenewal, type Entered, type State } from './states.ts';

/** A request of the plan and its response. */
export interface Sent {
  readonly request: RequestSpec;
  /** Absent only with a fault. */
  readonly response: HttpResponse | undefined;
  readonly fault: string | undefined;
}

export interface AskingOptions {
  readonly judgement: Judgement;
  /** Operations whose plain requests are in flight beside others. */
  readonly company: readonly Operation[];
  /** The operation that reads what the requests write. */
  readonly follow: Operation | undefined;
  /** Whether they only read, so that other checks may send requests at the same time. */
  readonly readsOnly?: boolean;
  /** Whether what is left is looked at after each request. */
  readonly looksAtEach?: boolean;
}

/** A request that has got so many other responses is not sent again. */
const enoughToVary = 3;

/** Sends requests of the plan, and compares their responses and what they leave with what the oracle allows. */
export class Asking {
  looksAtEach: boolean;
  /** Whether the setting is on while the requests are sent. */
  isOn = false;
  readonly #context: CheckContext;
  readonly #world: World;
  readonly #options: AskingOptions;
  readonly #scene: Scene;
  readonly #spareScene: Scene;
  #follow: Operation | undefined;
  #effects: Effects | undefined;
  #state: State | undefined;
  #entered: Entered | undefined;
  #takeBack: (() => void) | undefined;
  #hasWaited = false;
  /** How often the same request has got another response. */
  readonly #varied = new WeakMap<HttpResponse, number>();

  constructor(context: CheckContext, world: World, options: AskingOptions) {
    this.#context = context;
    this.#world = world;
    this.#options = options;
    [this.looksAtEach, this.#follow] = [options.looksAtEach === true, options.follow];
    this.#scene = { credential: (name) => given(context, name) };
    this.#spareScene = { credential: (name) => context.spare?.(name) ?? given(context, name) };
    this.#effects = world.isOwn && context.operator ? Effects.seenBy(context.operator) : undefined;
  }

  /** Brings the target into a known state. */
  async start(): Promise<void> {
    await this.restart();
    await this.#effects?.start(this.#options.readsOnly === true).catch((error: unknown) => {
      if (!(error instanceof NotOfferedError) || this.#options.looksAtEach === true) throw error;
      this.#effects = undefined;
    });
  }

  /** Begins with the other value of the setting. */
  async switch(isOn: boolean): Promise<void> {
    this.isOn = isOn;
    await this.restart();
  }

  /** Switches the setting and reads it, if that is what requests might write. */
  async restart(): Promise<void> {
    // A refused update that is saved all the same shows only if it would have changed something.
    const isOfSetting = this.#world.isOwn && this.#follow?.operationId === 'getVerificationSetting';
    if (isOfSetting && this.#context.credentials.owner_key !== undefined)
      await this.#exchange(switched(this.isOn, this.#scene));
    const read = await this.#read();
    // Of another API, nobody knows whether there is something to read.
    if (!this.#world.isOwn && read?.fault !== undefined) this.#follow = undefined;
  }

  /** What is asked from now on is asked in this state, which is entered with the first request. */
  begin(state: State | undefined): void {
    this.#state = state;
    this.#takeBack = state?.tell(this.#world, this.#scene);
  }

  async end(): Promise<void> {
    this.#takeBack?.();
    [this.#state, this.#takeBack] = [undefined, undefined];
    await this.#leave();
  }

  /** @param plain the response to the same situation asked in the plain way, which this one must be like */
  async ask(situation: Situation, choices: readonly Choice[] = [], plain?: Sent): Promise<Sent> {
    requireNeeds(situation.needs);
    const sent = await this.#askOnce(situation, choices, plain);
    if (sent.fault === undefined || !this.#entered || this.#state?.usesUp === undefined) return sent;
    const { request, response } = sent;
    // The limit may have been renewed meanwhile, and that of a caller who is to be served may have been used up before.
    const isWronglyRefused = response?.status === 429 && !expectedOf(request, this.#world).statuses.includes(429);
    const seconds = Number(response?.headers['retry-after']);
    if (isWronglyRefused && seconds > longestWaitSeconds)
      throw new LongWaitError(`the limit of a caller who is to be served is used up for ${seconds} s`);
    if (isWronglyRefused && !this.#hasWaited) {
      this.#hasWaited = true;
      await awaitRenewal(response);
    } else if (performance.now() < this.#entered.until) return sent;
    await this.#leave();
    return this.#askOnce(situation, choices, plain);
  }

  /** What requests have left that is not as it must be, with the reading that shows it. */
  async trace(): Promise<{ readonly fault: string; readonly read: Sent | undefined } | undefined> {
    const { failing } = this.#world;
    // What a failing store holds cannot be read; the next request enters the state again.
    if (failing) await this.#leave();
    this.#world.failing = undefined;
    try {
      const read = await this.#read();
      // While the limit of the reader is used up, nobody sees what is left; that it is wrongly so, other checks tell.
      if (this.#state?.usesUp !== undefined && read?.response?.status === 429) return undefined;
      const fault = read?.fault ?? (await this.#effects?.fault(this.#options.judgement === 'decision'));
      return fault === undefined ? undefined : { fault, read };
    } finally {
      this.#world.failing = failing;
    }
  }

  faultOf(
    request: RequestSpec,
    response: HttpResponse,
    expected: Expected = expectedOf(request, this.#world),
  ): string | undefined {
    const { judgement } = this.#options;
    return judgement === 'refusal'
      ? refusalFault(expected, { method: request.method, ...response })
      : faultOf(expected, request, response, judgement === 'decision');
  }

  async #askOnce(situation: Situation, choices: readonly Choice[], plain: Sent | undefined): Promise<Sent> {
    await this.#enter();
    const usesSpare = choices.some((choice) => choice.usesSpare === true) || this.#isServed(situation);
    const plainRequest = situation.request(usesSpare ? this.#spareScene : this.#scene);
    const operation = matchOperation(this.#world.document, plainRequest.method, plainRequest.path);
    const { request, applied } = inWays(plainRequest, choices, operation);
    const beside = this.#keepCompany(Math.max(0, ...applied.map(({ company = 0 }) => company)));
    const times = Math.max(1, ...applied.map((choice) => choice.times ?? 1));
    const like = applied.some(({ anyApi }) => anyApi === 'status') && !this.#world.isOwn ? undefined : plain;
    let sent = await this.#exchange(request, like, situation);
    for (let count = 1; count < times && sent.fault === undefined; count += 1)
      sent = await this.#exchange(request, like, situation);
    const responses = await beside;
    if (sent.fault !== undefined) return sent;
    const seen = responses.find(({ fault }) => fault !== undefined);
    // What fails alone as well says nothing of the company.
    if (seen && (await this.#exchange(seen.request)).fault === undefined) return seen;
    return this.#followed(sent);
  }

  /** Whether a limit is used up, but not that of the caller: an earlier state may have used up that one. */
  #isServed(situation: Situation): boolean {
    if (this.#state?.usesUp === undefined) return false;
    const { statuses } = situation.documented ?? expectedOf(situation.request(this.#scene), this.#world);
    return !statuses.includes(429);
  }

  #keepCompany(count: number): Promise<Sent[]> {
    const { company } = this.#options;
    const others = Array.from({ length: count }, (_none, index) => company[index % company.length]);
    const requests = others.flatMap((other) => (other && this.#plainRequest(other)) ?? []);
    const beside = Promise.all(requests.map((request) => this.#exchange(request)));
    // If the run is stopped, the request itself fails first, and nobody waits for these.
    beside.catch(() => undefined);
    return beside;
  }

  async #followed(sent: Sent): Promise<Sent> {
    if (this.looksAtEach) {
      const { fault, read } = (await this.trace()) ?? {};
      const shown = read?.fault === undefined ? sent : read;
      if (fault !== undefined) return { ...shown, fault: `seen afterwards: ${fault}` };
    } else if (!isSafe(sent.request.method) && expectedOf(sent.request, this.#world).saves !== undefined) {
      const read = await this.#read();
      if (read?.fault !== undefined) return { ...read, fault: `read afterwards: ${read.fault}` };
    }
    return sent;
  }

  async #read(): Promise<Sent | undefined> {
    const request = this.#follow && this.#plainRequest(this.#follow);
    return request && this.#exchange(request);
  }

  /** A valid request of an operation, if the target has what it needs, by a caller whose limit is not used up. */
  #plainRequest(operation: Operation): RequestSpec | undefined {
    const { needs, request, schemes } = baselineOf(operation, this.#world.document);
    try {
      requireNeeds(needs);
      // An earlier state may have used up the limit of the reader.
      const plain = request(this.#state?.usesUp === undefined ? this.#scene : this.#spareScene);
      if (!this.#world.spent.has(limitOf(plain, this.#world)) || !this.#world.isOwn) return plain;
      const isToken = schemes[0]?.word !== undefined;
      if (isToken || this.#context.credentials.member_key === undefined) return undefined;
      return request({ credential: (name) => given(this.#context, name === 'owner_key' ? 'member_key' : name) });
    } catch (error) {
      if (error instanceof UnmetPreconditionError) return undefined;
      throw error;
    }
  }

  async #exchange(request: RequestSpec, plain?: Sent, situation?: Situation): Promise<Sent> {
    // A TLS terminator parses requests itself, and refuses malformed ones in its own way.
    if (request.requestLine !== undefined && this.#context.credentials.base_url.startsWith('https:'))
      throw new UnmetPreconditionError(`${notProvokable}the TLS terminator responds instead of the service`);
    const expected: Expected = situation?.documented ?? expectedOf(request, this.#world);
    const before = this.#world.setting;
    const response = await this.#context.call(request).catch(whyNone);
    if (typeof response === 'string') {
      if (!isSafe(request.method)) this.#effects?.forget();
      return { request, response: undefined, fault: response };
    }
    const isRight = situation?.documented?.also?.(response.status) === true;
    const judged = isRight ? { ...expected, statuses: [response.status] } : expected;
    if (situation && !judged.statuses.includes(response.status)) requireKnown(situation, judged, response);
    // What is beside the situation is promised by the document.
    const ownFault = situation ? this.faultOf(request, response, judged) : faultOf(judged, request, response, false);
    const fault = ownFault ?? (plain?.response && (await this.#difference(plain, response, judged)));
    const isSuccess = expected.statuses.includes(response.status) && response.status < 300;
    if (isSuccess) expected.after?.(parsed(response.text));
    if (isSuccess && expected.saves !== undefined)
      this.#effects?.note({ before, after: expected.saves, response, secret: limitOf(request, this.#world) });
    // What a faulty write has left is read anew.
    if (fault !== undefined && !isSafe(request.method)) {
      this.#world.setting = undefined;
      this.#effects?.forget();
    }
    return { request, response, fault };
  }

  async #difference({ request, response: first }: Sent, response: HttpResponse, expected: Expected) {
    const difference = first && differenceFrom(first, response, expected);
    const times = (first && this.#varied.get(first)) ?? 0;
    if (!first || difference === undefined || times === enoughToVary) return undefined;
    // A response that varies by itself tells nothing.
    if (differenceFrom(first, await this.#context.call(request), expected) === undefined) return difference;
    this.#varied.set(first, times + 1);
    return undefined;
  }

  async #enter(): Promise<void> {
    if (this.#entered || !this.#state) return;
    this.#entered = await this.#state.enter(this.#context, this.#scene);
    if (this.#world.failing) return;
    // The requests that have used up a limit may have been writes.
    this.#world.setting = undefined;
    await this.#read();
    await this.#effects?.start(false);
  }

  async #leave(): Promise<void> {
    const entered = this.#entered;
    this.#entered = undefined;
    await entered?.leave();
  }
}

/** Why there is no response: a fault as any other if the request was sent. */
function whyNone(error: unknown): string {
  if (error instanceof NoResponseError && error.sent) return error.message;
  throw error;
}

/** @throws {UnmetPreconditionError} if a response may be due to what the suite, or a mock, does not know */
function requireKnown({ guessed }: Situation, { promise }: Expected, response: HttpResponse): void {
  if (promise === 'credential' && isMocked(response))
    throw new UnmetPreconditionError('the mock accepts any credential');
  const guess = guessed.find(({ statuses }) => statuses.includes(response.status));
  if (guess)
    throw new UnmetPreconditionError(`missing: ${guess.what} (write it under values in the configuration file)`);
}

/** A request asked in the ways that can be combined with it, and with one another. */
export function inWays(plain: RequestSpec, choices: readonly Choice[], operation: Operation | undefined) {
  let request = plain;
  const applied = choices.filter((choice) => {
    if (choice.fits?.(request, operation) === false) return false;
    request = choice.apply(request);
    return true;
  });
  return { request, applied };
}

/** Whether a request was not sent, because of a limit, an absent credential, or too many without a response. */
export function isUnsent(error: unknown): error is Error {
  if ([UnmetPreconditionError, LongWaitError, NotOfferedError].some((kind) => error instanceof kind)) return true;
  return error instanceof NoResponseError && !error.sent;
}

/** The value of a credential. @throws {UnmetPreconditionError} with what is missing */
export function given({ credentials }: CheckContext, name: CredentialName): string {
  const value = credentials[name];
  if (typeof value === 'string') return value;
  throw new UnmetPreconditionError(`missing: ${toldNeed(name)}`);
}

/** What the document lacks is a need in words. */
function requireNeeds(needs: readonly Need[]): void {
  const unmet = needs.find((need) => need.includes(' '));
  if (unmet !== undefined) throw new UnmetPreconditionError(`missing: ${unmet}`);
}
