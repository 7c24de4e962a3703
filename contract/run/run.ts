import { count } from '../cli/output.ts';
import type { ConformanceOptions } from '../conformance/response.ts';
import { ownDocument } from '../document/own-document.ts';
import { generatedChecks } from '../checks/index.ts';
import { createHttpClient } from './http-client.ts';
import { maskReport, secretsOf } from './mask.ts';
import type { CheckResult, Progress, Report, Target } from './model.ts';
import { Pacing } from './pacing.ts';
import { plainUrls } from './reach-target.ts';
import { replayDocument } from '../replay/replay.ts';
import { interfaceRules, ruleChecks, traceRules } from '../interface/index.ts';
import { mayBeLeft, runChecks } from './run-checks.ts';
import { restoringSetting } from './restore-setting.ts';
import { RunStop, type StopOptions } from './run-stop.ts';

/** Shorter waits for a rate limit are not worth a line. */
const noticedWaitSeconds = 5;

export interface RunOptions extends ConformanceOptions, StopOptions {
  readonly seed: number;
  /** How long the target may take for one response. */
  readonly timeoutSeconds: number;
  /** Whether a check that is not run makes the run fail, unless it needs the operator of the target. */
  readonly requireAll: boolean;
  /** Leaves the rest of a layer not run once one of its checks has failed. */
  readonly stopAtFirstFailure?: boolean;
}

/** Checks a target against the whole contract: replay, rules and generated checks. No secret is in the report. */
export async function runContract(target: Target, options: RunOptions, progress: Progress): Promise<Report> {
  const startedAt = new Date();
  const { document = ownDocument } = options;
  const stop = new RunStop(options);
  const client = createHttpClient(options.timeoutSeconds, {
    urls: plainUrls(target.credentials, document),
    onGone: () => {
      stop.stop('the target has stopped responding');
    },
  });
  const secrets = secretsOf(target.credentials).map(([, value]) => value);
  const pacing = new Pacing(secrets, (seconds) => {
    if (seconds >= noticedWaitSeconds) progress.onNotice(`waiting ${seconds} s for the target's rate limit`);
  });
  const { seed, allowExtraFields } = options;
  const unstoppable = { target, client, pacing, seed, allowExtraFields, document };
  const { stopAtFirstFailure = false } = options;
  const session = { ...unstoppable, signal: stop.signal, stopAtFirstFailure };
  const isOwn = document === ownDocument;
  const checks = [...(isOwn ? ruleChecks : []), ...generatedChecks(seed, document)];
  const replay = replayDocument(session);
  const total = replay.labels.length + checks.length;
  let done = 0;
  const events = {
    onStart: (id: string): void => progress.onStart?.(id, done, total),
    onResult: (result: CheckResult): void => {
      progress.onResult(stop.settled(result), (done += 1), total);
    },
  };
  const problems: string[] = [];
  const results: CheckResult[] = [];
  try {
    await restoringSetting(unstoppable, progress, problems, async () => {
      results.push(...(await replay.run(events.onResult)).map((result) => stop.settled(result)));
      results.push(...(await runChecks(checks, session, events)));
    });
  } finally {
    client.close();
    stop.end();
  }
  if (stop.reason !== undefined) problems.unshift(stop.reason);
  const rules = isOwn ? traceRules(interfaceRules, results) : [];
  for (const { id, checks: shownBy } of rules) if (shownBy.length === 0) problems.push(`the rule ${id} has no check`);
  if (!results.some(({ outcome }) => outcome === 'passed')) problems.push('no check has passed');
  const notRun = results.filter((result) => result.outcome === 'not run' && !mayBeLeft(result)).length;
  if (options.requireAll && notRun > 0) problems.push(`${count(notRun, 'check')} that must run did not`);
  return maskReport(
    {
      target: target.credentials.base_url,
      version: document.version,
      startedAt: startedAt.toISOString(),
      durationSeconds: (Date.now() - startedAt.getTime()) / 1000,
      seed,
      results,
      rules,
      problems,
      conforms: problems.length === 0 && !results.some(({ outcome }) => outcome === 'failed'),
    },
    target.credentials,
  );
}
