/**
 * Runs the rows of the plan. The oracle says what each request must get. One that gets another response is shrunk: choice by
 * choice is taken back, and what remains is what it takes to see the fault.
 */
import type { Choice } from '../dimensions/choice.ts';
import { matchOperation } from '../document/index.ts';
import type { Operation } from '../document/model.ts';
import { differenceFrom, faultOf, parsed } from '../oracle/judge.ts';
import { switchedOff } from '../own-api/outcomes.ts';
import { NotOfferedError } from '../operator/open-operator.ts';
import { Effects, hasEffects } from '../own-api/effects.ts';
import { refusalFault } from '../own-api/response-rules.ts';
import type { Judgement } from '../own-api/trace-rules.ts';
import { type Expected, expectedOf } from '../oracle/expected.ts';
import type { World } from '../oracle/world.ts';
import { baselineOf } from './baseline.ts';
import { isMocked } from '../oracle/documented-response.ts';
import { isSafe } from '../oracle/request.ts';
import type { CheckContext, CredentialName, HttpResponse, Need, RequestSpec } from '../run/model.ts';
import { NoResponseError, FoundFaults, type FoundFault, LongWaitError, UnmetPreconditionError } from '../run/errors.ts';
import { notProvokable, toldNeed } from '../run/run-checks.ts';
import type { Row } from './rows.ts';
import type { Situation } from './situations.ts';

/** So many different faults are enough to see what is wrong. */
const mostFaults = 5;

/** A request of the plan and its response. */
export interface Sent {
  readonly request: RequestSpec;
  /** Absent only with a fault. */
  readonly response: HttpResponse | undefined;
  readonly fault: string | undefined;
}

/** A fault with the choices that it takes to see it. */
interface Found {
  readonly fault: FoundFault;
  readonly choices: readonly Choice[];
}

/** After so many requests the operator is asked whether a refused one has left a trace. */
const rowsPerLook = 25;

/** How long the requests of one check may take; a slow target, or one with tight limits, gets fewer of them. */
const mostMilliseconds = 30_000;

/** What the rows of one promise share. */
export class Exploration {
  readonly #context: CheckContext;
  readonly #world: World;
  readonly #judgement: Judgement;
  readonly #company: readonly Operation[];
  #follow: Operation | undefined;
  #effects: Effects | undefined;
  #looksAtEach = false;
  readonly #scene: Pick<CheckContext, 'credential'>;
  readonly #spareScene: Pick<CheckContext, 'credential'>;
  readonly #plain: Map<Situation, Sent>;
  readonly #refusals = new Map<string, HttpResponse>();
  /** The choices that alone have shown a fault. */
  readonly #culprits = new Set<Choice>();

  /**
   * @param options.company operations whose plain requests are in flight beside others
   * @param options.follow the operation that reads what the rows write
   * @param options.plain the responses to situations asked in the plain way, which explorations of one promise share
   */
  constructor(
    context: CheckContext,
    world: World,
    {
      judgement,
      company,
      follow,
      plain = new Map<Situation, Sent>(),
    }: {
      judgement: Judgement;
      company: readonly Operation[];
      follow: Operation | undefined;
      plain?: Map<Situation, Sent>;
    },
  ) {
    this.#context = context;
    this.#world = world;
    this.#judgement = judgement;
    this.#scene = { credential: (name) => given(context, name) };
    this.#spareScene = { credential: (name) => spareOf(context, name) ?? given(context, name) };
    this.#company = company;
    this.#plain = plain;
    this.#follow = follow;
    this.#effects = world.isOwn && follow && context.operator ? new Effects(context.operator) : undefined;
  }

  /** @throws {FoundFaults} with each different fault, shrunk */
  async run(rows: readonly Row[]): Promise<void> {
    const faults = new Map<string, FoundFault>();
    // What has been reported is no matter of decisions.
    const reported =
      this.#judgement === 'decision' ? [...this.#plain].filter(([, { fault }]) => fault !== undefined) : [];
    const broken = new Set(reported.map(([situation]) => situation));
    const startedAt = performance.now();
    let missing: string | undefined;
    let sent = 0;
    const untraced: Row[] = [];
    const note = (found: Found | undefined, { situation }: Row) => {
      if (!found) return;
      if (found.choices.length === 0) broken.add(situation);
      const key = found.choices.map(({ name }) => name).join() || `${situation.name} ${found.fault.message}`;
      if (!faults.has(key)) faults.set(key, found.fault);
    };
    await this.#prepare();
    // A slow target gets every situation in the plain way before any in others.
    const [plainRows, others] = [rows.filter(isPlain), rows.filter((row) => !isPlain(row))];
    for (const row of [...plainRows, ...others]) {
      const isEssential = row.situation.isEssential && row.choices.length === 0;
      const isLate = performance.now() - startedAt > mostMilliseconds;
      if (faults.size >= mostFaults) break;
      if (broken.has(row.situation)) continue;
      if (isLate && !isEssential) {
        missing ??= 'there was no time for the others';
        continue;
      }
      try {
        note(await this.#runRow(row), row);
        sent += 1;
        untraced.push(row);
        if (untraced.length === rowsPerLook) note(await this.#traced(untraced.splice(0)), row);
      } catch (error) {
        // Limits and absent credentials leave rows out; what was sent still counts.
        if (!isUnsent(error)) throw error;
        missing ??= error.message;
        if (error instanceof NoResponseError) break;
        // What another API does not know or refuse, it will not in any other way.
        if (!this.#world.isOwn && !this.#plain.has(row.situation)) broken.add(row.situation);
      }
    }
    const [last] = untraced;
    if (last && faults.size === 0) note(await this.#traced(untraced), last);
    if (missing !== undefined) this.#context.tell(`${sent} of ${rows.length} requests of the plan sent; ${missing}`);
    if (faults.size > 0) throw new FoundFaults([...faults.values()]);
    if (sent === 0) throw new UnmetPreconditionError(missing ?? 'the plain requests fail already');
  }

  /** Brings the target into a known state. */
  async #prepare(): Promise<void> {
    // A refused update that is saved all the same shows only if it would have changed something.
    const isOfSetting = this.#world.isOwn && this.#follow?.operationId === 'getVerificationSetting';
    if (isOfSetting && this.#context.credentials.owner_key !== undefined)
      await this.#exchange(switchedOff(this.#scene));
    const read = await this.#read();
    // Of another API, nobody knows whether there is something to read.
    if (!this.#world.isOwn && read?.fault !== undefined) this.#follow = undefined;
    await this.#effects?.before(true).catch((error: unknown) => {
      if (!(error instanceof NotOfferedError)) throw error;
      this.#effects = undefined;
    });
  }

  /** Looks whether refused writes have changed something, and if so, which of them. */
  async #traced(rows: readonly Row[]): Promise<Found | undefined> {
    const read = await this.#read();
    const isTraced = read?.fault !== undefined || (await this.#effects?.hasUnexpected()) === true;
    if (!isTraced) return undefined;
    this.#looksAtEach = true;
    await this.#prepare();
    try {
      for (const row of rows) {
        this.#plain.delete(row.situation);
        const found = await this.#runRow(row);
        if (found) return found;
      }
      const message = `read after ${rows.length} requests that must change nothing: ${read?.fault ?? ''}`;
      return read?.fault === undefined ? undefined : { fault: { message, shown: read }, choices: [] };
    } finally {
      this.#looksAtEach = false;
    }
  }

  /** A valid request of an operation, if the target has what it needs. */
  #plainRequest(operation: Operation): RequestSpec | undefined {
    const baseline = baselineOf(operation, this.#world.document);
    try {
      requireNeeds(baseline.needs);
      return baseline.request(this.#scene);
    } catch (error) {
      if (error instanceof UnmetPreconditionError) return undefined;
      throw error;
    }
  }

  async #runRow({ situation, choices }: Row): Promise<Found | undefined> {
    const plain = await this.#plainly(situation);
    if (plain.fault !== undefined) return { fault: foundFault(situation, plain, [], undefined), choices: [] };
    const unlike = choices.length === 0 && this.#judgement === 'decision' ? this.#unlikeOthers(plain) : undefined;
    if (unlike !== undefined)
      return { fault: foundFault(situation, { ...plain, fault: unlike }, [], undefined), choices: [] };
    if (choices.length === 0) return undefined;
    const sent = await this.#send(situation, choices, plain);
    if (sent.fault === undefined) return undefined;
    const others = choices.filter((choice) => !this.#culprits.has(choice));
    const again = others.length < choices.length ? await this.#send(situation, others, plain) : sent;
    // What a choice that is known has caused need not be told twice.
    if (again.fault === undefined) return undefined;
    const shrunk = await this.#shrink(situation, others, again, plain);
    if (shrunk.choices.length === 1) for (const choice of shrunk.choices) this.#culprits.add(choice);
    return { fault: foundFault(situation, shrunk.sent, shrunk.choices, plain), choices: shrunk.choices };
  }

  /** The response to a situation asked in the plain way, which is sent once. */
  async #plainly(situation: Situation): Promise<Sent> {
    const known = this.#plain.get(situation);
    const sent = known ?? (await this.#send(situation, []));
    this.#plain.set(situation, sent);
    if (!known?.response) return sent;
    return { ...known, fault: this.#faultOf(expectedOf(known.request, this.#world), known.request, known.response) };
  }

  #faultOf(expected: Expected, request: RequestSpec, response: HttpResponse): string | undefined {
    return this.#judgement === 'refusal'
      ? refusalFault(expected, { method: request.method, ...response })
      : faultOf(expected, request, response, this.#judgement === 'decision');
  }

  /** Refusals that disclose nothing are all the same (decisions D16 and D22). */
  #unlikeOthers({ request, response }: Sent): string | undefined {
    const { promise } = expectedOf(request, this.#world);
    if (!response || (promise !== 'credential' && promise !== 'not-found')) return undefined;
    const challenge = promise === 'credential' ? response.headers['www-authenticate'] : '';
    const key = `${request.method} ${challenge ?? ''}`;
    const first = this.#refusals.get(key) ?? response;
    this.#refusals.set(key, first);
    const difference = differenceFrom(first, response, {});
    return difference && `${difference} (the refusal of another request of this kind)`;
  }

  /** Takes back each choice without which the fault is still seen. */
  async #shrink(situation: Situation, choices: readonly Choice[], seen: Sent, plain: Sent) {
    let [kept, sent] = [[...choices], seen];
    try {
      for (const choice of kept) {
        const fewer = kept.filter((each) => each !== choice);
        const again = await this.#send(situation, fewer, plain);
        if (again.fault !== undefined) [kept, sent] = [fewer, again];
      }
      // It may depend on none of them, but on when the request comes.
      if ((await this.#send(situation, kept, plain)).fault === undefined)
        return { choices: [], sent: { ...sent, fault: `${sent.fault ?? ''}, but not each time` } };
    } catch (error) {
      if (!isUnsent(error)) throw error;
    }
    return { choices: kept, sent };
  }

  async #send(situation: Situation, choices: readonly Choice[], plain?: Sent): Promise<Sent> {
    requireNeeds(situation.needs);
    const usesSpare = choices.some((choice) => choice.usesSpare === true);
    let request = situation.request(usesSpare ? this.#spareScene : this.#scene);
    const operation = matchOperation(this.#world.document, request.method, request.path);
    const applied = applicable(request, choices, operation);
    for (const { apply } of applied) request = apply(request);
    const company = Math.max(0, ...applied.map(({ company: beside = 0 }) => beside));
    const times = Math.max(1, ...applied.map(({ times: wanted = 1 }) => wanted));
    const others = Array.from({ length: company }, (_none, index) => this.#company[index % this.#company.length]);
    const beside = Promise.all(
      others.flatMap((other) => {
        const plainRequest = other && this.#plainRequest(other);
        return plainRequest ? [this.#exchange(plainRequest)] : [];
      }),
    );
    // If the run is stopped, the request itself fails first, and nobody waits for these.
    beside.catch(() => undefined);
    let sent = await this.#exchange(request, plain, situation);
    for (let again = 1; again < times && sent.fault === undefined; again += 1)
      sent = await this.#exchange(request, plain, situation);
    const responses = await beside;
    if (sent.fault !== undefined) return sent;
    const seen = responses.find(({ fault }) => fault !== undefined);
    // What fails alone as well says nothing of the company.
    if (seen && (await this.#exchange(seen.request)).fault === undefined) return seen;
    return this.#followed(sent);
  }

  /** Reads what a write has changed; whether refused ones have changed something is looked at less often. */
  async #followed(sent: Sent): Promise<Sent> {
    const isLookedAt = this.#looksAtEach || expectedOf(sent.request, this.#world).saves !== undefined;
    const read = isSafe(sent.request.method) || !isLookedAt ? undefined : await this.#read();
    return read?.fault === undefined ? sent : { ...read, fault: `read afterwards: ${read.fault}` };
  }

  async #read(): Promise<Sent | undefined> {
    const request = this.#follow && this.#plainRequest(this.#follow);
    return request && this.#exchange(request);
  }

  async #exchange(request: RequestSpec, plain?: Sent, situation?: Situation): Promise<Sent> {
    this.#requireService(request);
    const expected: Expected = situation?.documented ?? expectedOf(request, this.#world);
    const before = this.#world.setting;
    const isWatched = hasEffects(request) && (expected.saves !== undefined || this.#looksAtEach);
    const effects = isWatched ? this.#effects : undefined;
    await effects?.before(expected.saves !== undefined);
    const response = await this.#responseTo(request);
    if (typeof response === 'string') return { request, response: undefined, fault: response };
    const isRight = situation?.documented?.also?.(response.status) === true;
    const judged = isRight ? { ...expected, statuses: [response.status] } : expected;
    if (situation && !judged.statuses.includes(response.status)) requireKnown(situation, judged, response);
    const fault =
      (await this.#judge(judged, request, response, plain)) ??
      (await effects?.fault(expected.saves === undefined ? undefined : { before, after: expected.saves }, response));
    if (expected.statuses.includes(response.status) && response.status < 300) expected.after?.(parsed(response.text));
    // What a faulty write has left is read anew.
    if (fault !== undefined && !isSafe(request.method)) this.#world.setting = undefined;
    return { request, response, fault };
  }

  /** A TLS terminator parses requests itself, and refuses malformed ones in its own way. */
  #requireService({ requestLine }: RequestSpec): void {
    if (requestLine !== undefined && this.#context.credentials.base_url.startsWith('https:'))
      throw new UnmetPreconditionError(`${notProvokable}the TLS terminator responds instead of the service`);
  }

  /** Why there is none is a fault as any other. */
  async #responseTo(request: RequestSpec): Promise<HttpResponse | string> {
    try {
      return await this.#context.call(request);
    } catch (error) {
      if (error instanceof NoResponseError && error.sent) return error.message;
      throw error;
    }
  }

  async #judge(
    expected: Expected,
    request: RequestSpec,
    response: HttpResponse,
    plain?: Sent,
  ): Promise<string | undefined> {
    const fault = this.#faultOf(expected, request, response);
    if (fault !== undefined || !plain?.response) return fault;
    const difference = differenceFrom(plain.response, response, expected);
    if (difference === undefined) return undefined;
    // A response that varies by itself tells nothing.
    const again = await this.#context.call(plain.request);
    return differenceFrom(plain.response, again, expected) === undefined ? difference : undefined;
  }
}

function isPlain({ choices }: Row): boolean {
  return choices.length === 0;
}

/** @throws {UnmetPreconditionError} if a response may be due to what the suite, or a mock, does not know */
function requireKnown({ guessed }: Situation, { promise }: Expected, response: HttpResponse): void {
  if (promise === 'credential' && isMocked(response))
    throw new UnmetPreconditionError('the mock accepts any credential');
  const guess = guessed.find(({ statuses }) => statuses.includes(response.status));
  if (guess)
    throw new UnmetPreconditionError(`missing: ${guess.what} (write it under values in the configuration file)`);
}

/** The choices that can be combined with a request, and with one another. */
export function applicable(
  request: RequestSpec,
  choices: readonly Choice[],
  operation: Operation | undefined,
): Choice[] {
  let built = request;
  return choices.filter((choice) => {
    if (choice.fits?.(built, operation) === false) return false;
    built = choice.apply(built);
    return true;
  });
}

/** Whether a request was not sent, because of a limit, an absent credential, or too many without a response. */
export function isUnsent(error: unknown): error is Error {
  if (error instanceof UnmetPreconditionError || error instanceof LongWaitError) return true;
  return error instanceof NoResponseError && !error.sent;
}

function foundFault(situation: Situation, sent: Sent, choices: readonly Choice[], plain: Sent | undefined): FoundFault {
  const only = choices.map(({ name }) => name).join(' and ');
  return {
    message: `${situation.name}: ${sent.fault ?? ''}${only === '' ? '' : `, only with ${only}`}`,
    shown: sent,
    ...(plain && only !== '' && { right: plain }),
  };
}

/** The value of a credential, or what is missing. */
function given({ credentials }: CheckContext, name: CredentialName): string {
  const value = credentials[name];
  if (typeof value === 'string') return value;
  throw new UnmetPreconditionError(`missing: ${toldNeed(name)}`);
}

/** Another credential with the same rights. */
function spareOf({ credentials, allCredentials }: CheckContext, name: CredentialName): string | undefined {
  const all = [allCredentials?.[name], ...(allCredentials?.spares?.[name] ?? [])];
  return all.find((secret): secret is string => typeof secret === 'string' && secret !== credentials[name]);
}

/** What the document lacks is a need in words. */
function requireNeeds(needs: readonly Need[]): void {
  const unmet = needs.find((need) => need.includes(' '));
  if (unmet !== undefined) throw new UnmetPreconditionError(`missing: ${unmet}`);
}
