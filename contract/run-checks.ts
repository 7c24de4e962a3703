import { curlOf, describeAnswer } from './curl.js';
import { NoAnswerError } from './http-client.js';
import type { Check, CheckResult, Exchange, Failure, Need } from './model.js';
import { Session, type SessionOptions } from './session.js';

/** After so many checks in a row without an answer the target counts as gone. */
const unansweredChecks = 3;

/** Runs checks one after the other, because they share the target's state, and tells each result as it is known. */
export async function runChecks(
  checks: readonly Check[],
  options: SessionOptions,
  onResult: (result: CheckResult) => void,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let unanswered = 0;
  for (const check of checks) {
    const missing = missingNeeds(check, options);
    const gone = unanswered >= unansweredChecks ? 'the target has stopped answering' : undefined;
    const reason = gone ?? (missing.length > 0 ? `missing: ${missing.join(', ')}` : undefined);
    const { result, answered } =
      reason === undefined ? await runCheck(check, options) : { result: notRun(check, reason), answered: true };
    unanswered = answered && gone === undefined ? 0 : unanswered + 1;
    results.push(result);
    onResult(result);
  }
  return results;
}

async function runCheck(check: Check, options: SessionOptions): Promise<{ result: CheckResult; answered: boolean }> {
  const session = new Session(options, check);
  const startedAt = process.hrtime.bigint();
  const failures: Failure[] = [];
  let answered = true;
  try {
    await check.run(session);
  } catch (error) {
    answered = !(error instanceof NoAnswerError);
    const last = session.exchanges.at(-1);
    failures.push({ message: messageOf(error), ...(last && shown(last, options)) });
  }
  for (const exchange of session.exchanges)
    for (const violation of exchange.violations) failures.push({ message: violation, ...shown(exchange, options) });
  const result: CheckResult = {
    check,
    outcome: failures.length === 0 ? 'passed' : 'failed',
    failures,
    exchanges: session.exchanges.length,
    durationSeconds: Number(process.hrtime.bigint() - startedAt) / 1e9,
  };
  return { result, answered };
}

function missingNeeds(check: Check, { target }: SessionOptions): Need[] {
  return check.needs.filter((need) => {
    if (need === 'operator') return target.operator === undefined;
    if (need === 'exhausting-limits') return !target.mayExhaustLimits;
    return target.credentials[need] === undefined;
  });
}

function notRun(check: Check, reason: string): CheckResult {
  return { check, outcome: 'not run', reason, failures: [], exchanges: 0, durationSeconds: 0 };
}

function shown(exchange: Exchange, { target }: SessionOptions): Pick<Failure, 'curl' | 'answer'> {
  return {
    curl: curlOf(exchange, target.credentials),
    ...(exchange.answer && { answer: describeAnswer(exchange.answer, target.credentials) }),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
