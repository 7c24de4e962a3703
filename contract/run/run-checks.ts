import { setTimeout as sleep } from 'node:timers/promises';
import { mayBeUnseen } from './conformance-record.ts';
import { NotOfferedError, OperatorError } from '../operator/open-operator.ts';
import { type FoundFault, FoundFaults, type Shown, UnmetPreconditionError } from './errors.ts';
import type { Check, CheckResult, Failure, Guess, HttpResponse, Layer, Need } from './model.ts';
import { isSelected, leftOut, wasLeftOut } from './selection.ts';
import { phasesOf } from './phases.ts';
import { Session, type SessionOptions } from './session.ts';
import { shownExchange } from './shown-exchange.ts';

/** How long a check may still clean up once the run is stopped. */
const graceSeconds = 2;

/** What is reported while checks run. */
export interface CheckEvents {
  readonly onStart: (id: string) => void;
  readonly onResult: (result: CheckResult) => void;
}

/**
 * Runs checks, and reports each result as it is known. Those that change or use up what others need run one after the other;
 * those that only read run beside one another.
 */
export async function runChecks(
  checks: readonly Check[],
  options: SessionOptions,
  { onStart, onResult }: CheckEvents,
): Promise<CheckResult[]> {
  const results = new Map<Check, CheckResult>();
  const failed = new Set<Layer>();
  const run = async (check: Check) => {
    onStart(check.id);
    const reason =
      reasonToLeaveOut(check, options) ??
      check.cannotRun ??
      stopReason(options) ??
      (failed.has(check.layer) ? 'a check of this layer has failed' : undefined) ??
      missingReason(check, options);
    const result = reason === undefined ? await runCheck(check, options) : notRun(check, reason);
    if (result.outcome === 'failed' && options.stopAtFirstFailure === true) failed.add(check.layer);
    results.set(check, result);
    onResult(result);
  };
  for (const { checks: together, workers } of phasesOf(
    checks,
    options.workers,
    options.first,
    options.failedAuthentications && options.seed,
  )) {
    const waiting = together.values();
    await Promise.all(
      Array.from({ length: workers }, async () => {
        for (const check of waiting) await run(check);
      }),
    );
  }
  return checks.flatMap((check) => results.get(check) ?? []);
}

async function runCheck(check: Check, options: SessionOptions): Promise<CheckResult> {
  const session = new Session(options, check);
  const startedAt = performance.now();
  const failures: Failure[] = [];
  let cutShort: string | undefined;
  try {
    await untilStopped(check.run(session), options.signal);
  } catch (error) {
    if (error instanceof UnmetPreconditionError) return notRun(check, error.message);
    if (error instanceof NotOfferedError || error instanceof OperatorError) return notRun(check, reasonOf(error));
    // The result of a check that can send nothing more does not count, unless the target has left it without a response.
    cutShort = session.withoutResponse ? undefined : stopReason(options);
    const { cause } = error instanceof Error ? error : {};
    const guess = guessRefusedBy(check, cause);
    if (guess) return notRun(check, `missing: ${guess.what} (write it under values in the configuration file)`);
    const last = session.exchanges.find(({ response }) => response && response === cause) ?? session.exchanges.at(-1);
    if (error instanceof FoundFaults) failures.push(...error.faults.map((fault) => failureOf(fault, session, options)));
    else if (cutShort === undefined)
      failures.push({ message: messageOf(error), ...(last && shownExchange(last, options.target.credentials)) });
  }
  await session.idle();
  // What the check has found itself counts there.
  if (failures.length === 0) for (const exchange of session.strayReadings) options.record?.noteViolations(exchange);
  const { measured, exchanges } = session;
  const took = { exchanges: exchanges.length, durationSeconds: (performance.now() - startedAt) / 1000 };
  if (cutShort !== undefined) return { ...notRun(check, cutShort), ...took };
  const outcome = failures.length === 0 ? 'passed' : 'failed';
  return { check: named(check), outcome, failures, ...(measured !== undefined && { measured }), ...took };
}

function failureOf({ message, shown: seen, right }: FoundFault, session: Session, { target }: SessionOptions): Failure {
  const shown = ({ request, response }: Shown) => {
    const found = session.exchanges.find(
      (each) => each.response === response && (response ?? each.request === request),
    );
    // What it is compared with may have been sent by another check.
    const exchange = found ?? { request, url: session.urlOf(request), ...(response && { response }), violations: [] };
    return shownExchange(exchange, target.credentials);
  };
  const [wrong, compared] = [shown(seen), right && shown(right)];
  const files = [...(wrong.files ?? []), ...(compared?.files ?? [])];
  return {
    message,
    ...wrong,
    ...(compared?.curl !== undefined && { rightCurl: compared.curl }),
    ...(files.length > 0 && { files: [...new Map(files.map((file) => [file.name, file])).values()] }),
  };
}

/** The guessed value that may have caused this response. Without a valid credential, no value is looked at. */
function guessRefusedBy({ guessed, failsToAuthenticate }: Check, response: unknown): Guess | undefined {
  const { status } = (response ?? {}) as Partial<HttpResponse>;
  if (status === undefined || failsToAuthenticate) return undefined;
  return guessed?.find(({ statuses }) => statuses.includes(status));
}

/** Waits for the work, or for a moment after the signal. */
async function untilStopped(work: Promise<void>, signal?: AbortSignal): Promise<void> {
  if (!signal) return work;
  const ended = new AbortController();
  const stopped = new Promise<void>((_resolve, reject) => {
    const stop = () => {
      sleep(graceSeconds * 1000, undefined, { signal: ended.signal }).then(
        () => {
          reject(signal.reason as Error);
        },
        () => undefined,
      );
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true, signal: ended.signal });
  });
  try {
    await Promise.race([work, stopped]);
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

/** Why a check cannot be run against the target; undefined if it can. */
export function missingReason(check: Pick<Check, 'needs'>, options: SessionOptions): string | undefined {
  const missing = missingNeeds(check, options).map(toldNeed);
  return missing.length > 0 ? `missing: ${missing.join(', ')}` : undefined;
}

/** A need, with the place to write a credential of another API. */
export function toldNeed(need: Need): string {
  return need.replace(/^security\.(.*)/, 'a credential of $1 (under security in the configuration file)');
}

/** Begins the reason of a check that is not run because nobody can bring about what it is about. */
export const notProvokable = 'cannot be provoked: ';

/** Whether a check may be left not run: by choice, or as nobody can provoke it but perhaps the operator of the target. */
export function mayBeLeft(result: CheckResult): boolean {
  const { reason = '' } = result;
  if (wasLeftOut(result) || mayBeUnseen(reason)) return true;
  return reason.startsWith(notProvokable) || /^missing: .*\boperator\b/.test(reason);
}

/** Begins the reason of a check whose operator has failed. */
export const operatorFailed = 'the operator failed: ';

function reasonOf(error: NotOfferedError | OperatorError): string {
  return error instanceof OperatorError ? operatorFailed + error.message : error.message;
}

function named({ id, layer, source, operation, title, rules }: Check): CheckResult['check'] {
  return { id, layer, source, ...(operation !== undefined && { operation }), title, rules };
}

/** Why a check is not chosen, if it is not. */
export function reasonToLeaveOut(
  check: CheckResult['check'],
  { selection }: Pick<SessionOptions, 'selection'>,
): string | undefined {
  return selection && !isSelected(selection, check) ? leftOut : undefined;
}

function notRun(check: Check, reason: string): CheckResult {
  return { check: named(check), outcome: 'not run', reason, failures: [], exchanges: 0, durationSeconds: 0 };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
