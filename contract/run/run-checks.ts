/** Runs checks in an order in which none takes what another needs, and makes results of what they find. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../cli/run-command.ts';
import { NotOfferedError, OperatorError } from '../operator/open-operator.ts';
import { isSafe } from '../oracle/request.ts';
import { randomOf, shuffle } from '../plan/rows.ts';
import { mayBeUnseen } from './conformance.ts';
import { type FoundFault, FoundFaults, UnmetPreconditionError } from './errors.ts';
import type { Check, CheckResult, Failure, HttpResponse, Layer, Need } from './model.ts';
import { isSelected, leftOut, notRun } from './selection.ts';
import { Session, type SessionOptions } from './session.ts';
import { curlOf, shownExchange } from './shown-exchange.ts';

/** How long a check may still clean up once the run is stopped. */
const graceSeconds = 2;

/** Runs checks, and reports each result as it is known. Those that only read run beside one another. */
export async function runChecks(
  checks: readonly Check[],
  options: SessionOptions,
  { onStart, onResult }: { onStart?: (id: string) => void; onResult?: (result: CheckResult) => void } = {},
): Promise<CheckResult[]> {
  const { workers, first, failedAuthentications, seed, selection } = options;
  const others = Promise.withResolvers<undefined>();
  const toEach = { ...options, others: others.promise };
  const results = new Map<Check, CheckResult>();
  const failed = new Set<Layer>();
  const run = async (check: Check) => {
    onStart?.(check.id);
    const missing = missingNeeds(check, options).map(toldNeed);
    const reason =
      (selection && !isSelected(selection, check) ? leftOut : undefined) ??
      check.cannotRun ??
      stopReason(options) ??
      (failed.has(check.layer) ? 'a check of this layer has failed' : undefined) ??
      (missing.length > 0 ? `missing: ${missing.join(', ')}` : undefined);
    const result = reason === undefined ? await runCheck(check, toEach) : notRun(described(check), reason);
    if (result.outcome === 'failed' && options.stopAtFirstFailure === true) failed.add(check.layer);
    results.set(check, result);
    onResult?.(result);
  };
  const beside: Promise<void>[] = [];
  for (const phase of phasesOf(checks, workers, first, failedAuthentications && seed)) {
    const waiting = phase.checks.values();
    const work = async () => {
      for (const check of waiting)
        if (check.runsBeside === true) beside.push(run(check));
        else await run(check);
    };
    await Promise.all(Array.from({ length: phase.workers }, work));
  }
  others.resolve(undefined);
  await Promise.all(beside);
  return checks.flatMap((check) => results.get(check) ?? []);
}

/**
 * The order in which checks run, and how many at once: those that change something, those that only read, those that
 * remove something, and those that use up a limit. The last follow one another by limit, so that one exhausted window
 * serves them all and no other check waits for the next.
 * @param first says which checks run before all others
 * @param sparing if failed authentications are few: a seed that decides which variants of them come first
 */
export function phasesOf(
  checks: readonly Check[],
  workers = 1,
  first: (check: Check) => boolean = () => false,
  sparing?: number,
): { readonly checks: readonly Check[]; readonly workers: number }[] {
  let left = checks;
  const take = (which: (check: Check) => boolean) => {
    const { taken = [], others = [] } = Object.groupBy(left, (check) => (which(check) ? 'taken' : 'others'));
    left = others;
    return taken;
  };
  const chosen = take(first);
  const takeFailing = (kind: Check['failsToAuthenticate']) =>
    sparing === undefined ? [] : take(({ failsToAuthenticate }) => failsToAuthenticate === kind);
  const failing = [...takeFailing('once'), ...shuffle(takeFailing('variants'), randomOf(sparing ?? 0))];
  const exhausting = take(({ usesUp }) => usesUp !== undefined);
  const removing = take(({ removes }) => removes !== undefined);
  const reading = take(({ readsOnly }) => readsOnly === true);
  // What belongs to a resource is removed before the resource.
  const depthOf = ({ removes = '' }: Check) => removes.split('/').length;
  removing.sort((a, b) => depthOf(b) - depthOf(a));
  // What others need whole is used up last.
  const wantedBy = (limit: string | undefined) =>
    exhausting.filter(({ usesUp, needs }) => usesUp !== limit && needs.some((need) => need === limit)).length;
  const byLimit = [...Map.groupBy(exhausting, ({ usesUp }) => usesUp)].sort(([a], [b]) => wantedBy(a) - wantedBy(b));
  return [
    { checks: [...chosen, ...left], workers: 1 },
    { checks: reading, workers },
    { checks: [...removing, ...failing, ...byLimit.flatMap(([, ofLimit]) => ofLimit)], workers: 1 },
  ];
}

async function runCheck(check: Check, options: SessionOptions): Promise<CheckResult> {
  const session = new Session(options, check);
  const startedAt = performance.now();
  const failures: Failure[] = [];
  let cutShort: string | undefined;
  try {
    await untilStopped(check.run(session), options.signal);
  } catch (error) {
    const missing = reasonNotRun(check, error);
    if (missing !== undefined) return notRun(described(check), missing);
    if (error instanceof FoundFaults) failures.push(...error.faults.map((fault) => failureOf(fault, session, options)));
    else {
      const cause = causeOf(error);
      // Without such a response, -1 is the last exchange.
      const at = session.exchanges.findLastIndex(({ response }) => response && response === cause);
      const last = session.exchanges.at(at);
      const before = session.exchanges.slice(0, at).findLast(({ request }) => !isSafe(request.method));
      const { credentials } = options.target;
      failures.push({
        message: messageOf(error),
        ...(before && { beforeCurl: curlOf(before, credentials) }),
        ...(last && shownExchange(last, credentials)),
      });
    }
    // What a check finds that can send nothing more does not count, unless the target has left it without a response.
    const reason = stopReason(options);
    const saysMore = reason === undefined || !failures.every(({ message }) => message.includes(reason));
    cutShort = session.withoutResponse && saysMore ? undefined : reason;
  }
  await session.idle();
  const { measured, exchanges } = session;
  const took = { exchanges: exchanges.length, durationSeconds: (performance.now() - startedAt) / 1000 };
  if (cutShort !== undefined) return { ...notRun(described(check), cutShort), ...took };
  const outcome = failures.length === 0 ? 'passed' : 'failed';
  return { check: described(check), outcome, failures, ...(measured !== undefined && { measured }), ...took };
}

/** Why a check could not be run, if an error says that. Without a valid credential, no guessed value is looked at. */
function reasonNotRun({ guessed, failsToAuthenticate }: Check, error: unknown): string | undefined {
  if (error instanceof OperatorError) return operatorFailed + error.message;
  if (error instanceof UnmetPreconditionError || error instanceof NotOfferedError) return error.message;
  const { status } = (causeOf(error) ?? {}) as Partial<HttpResponse>;
  if (status === undefined || failsToAuthenticate) return undefined;
  const guess = guessed?.find(({ statuses }) => statuses.includes(status));
  return guess && `missing: ${guess.what} (write it under values in the configuration file)`;
}

function failureOf({ message, shown, right }: FoundFault, session: Session, { target }: SessionOptions): Failure {
  const [wrong, compared] = [shown, right].map(
    (seen) => seen && shownExchange({ ...seen, url: session.urlOf(seen.request) }, target.credentials),
  );
  return { message, ...wrong, ...(compared && { rightCurl: compared.curl }) };
}

/** Waits for the work, or for a moment after the signal. */
async function untilStopped(work: Promise<void>, signal?: AbortSignal): Promise<void> {
  if (!signal) return work;
  const ended = new AbortController();
  const stopped = async () => {
    if (!signal.aborted) await once(signal, 'abort', ended);
    await sleep(graceSeconds * 1000, undefined, ended);
    signal.throwIfAborted();
  };
  try {
    await Promise.race([work, stopped()]);
  } finally {
    ended.abort();
  }
}

function stopReason({ signal }: SessionOptions): string | undefined {
  return signal?.aborted === true ? messageOf(signal.reason) : undefined;
}

/** What the check needs and the target does not have. */
export function missingNeeds({ needs }: Pick<Check, 'needs'>, { target }: SessionOptions): Need[] {
  return needs.filter((need) => {
    if (need === 'operator') return target.operator === undefined;
    if (need === 'exhausting-limits') return !target.mayExhaustLimits;
    return target.credentials[need] === undefined;
  });
}

/** A need, with the place to write a credential of another API. */
export function toldNeed(need: Need): string {
  return need.replace(/^((?:\w+-)?security)\.(.*)/, 'a credential of $2 (under $1 in the configuration file)');
}

/** Begins the reason of a check that is not run because nobody can bring about what it is about. */
export const notProvokable = 'cannot be provoked: ';

/** Begins the reason of a check whose operator has failed. */
export const operatorFailed = 'the operator failed: ';

/** Whether a check may be left not run: by choice, or as nobody can provoke it but perhaps the operator of the target. */
export function mayBeLeft({ reason = '' }: CheckResult): boolean {
  const isChosen = reason === leftOut || mayBeUnseen(reason);
  return isChosen || reason.startsWith(notProvokable) || /^missing: .*\boperator\b/.test(reason);
}

function described({ id, layer, source, operation, title, rules }: Check): CheckResult['check'] {
  return { id, layer, source, ...(operation !== undefined && { operation }), title, rules };
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
