import type { ConformanceOptions } from './conformance.js';
import { generatedChecks } from './generated/index.js';
import { createHttpClient } from './http-client.js';
import type { CheckResult, Credentials, Report, Target } from './model.js';
import { Pacing } from './pacing.js';
import { replayDocument } from './replay/replay.js';
import { interfaceRules, ruleChecks, traceRules } from './rules/index.js';
import { runChecks } from './run-checks.js';
import { restoringSetting } from './restore-setting.js';

export interface RunOptions extends ConformanceOptions {
  readonly seed: number;
  /** How long the target may take for one answer. */
  readonly timeoutSeconds: number;
  /** Whether a check that is not run makes the run fail. */
  readonly requireAll: boolean;
}

/** What a run tells while it goes on. */
export interface Progress {
  onResult(result: CheckResult, done: number, total: number): void;
  onNotice(message: string): void;
}

/** Holds a target against the whole contract: replay, rules and generated checks. */
export async function runContract(target: Target, options: RunOptions, progress: Progress): Promise<Report> {
  const startedAt = new Date();
  const client = createHttpClient(options.timeoutSeconds);
  const pacing = new Pacing(secretsOf(target.credentials), (seconds) => {
    progress.onNotice(`waiting ${seconds} s for the target's rate limit`);
  });
  const session = { ...options, target, client, pacing };
  const checks = [...ruleChecks, ...generatedChecks(options.seed)];
  let done = 0;
  const onResult = (result: CheckResult): void => {
    progress.onResult(result, (done += 1), total);
  };
  const replay = await replayDocument(target, options);
  const total = replay.labels.length + checks.length;
  const problems: string[] = [];
  const results: CheckResult[] = [];
  try {
    await restoringSetting(session, progress, problems, async () => {
      results.push(...(await replay.run(onResult)));
      results.push(...(await runChecks(checks, session, onResult)));
    });
  } finally {
    client.close();
  }
  const rules = traceRules(interfaceRules, results);
  for (const { id, checks: shownBy } of rules) if (shownBy.length === 0) problems.push(`the rule ${id} has no check`);
  if (!results.some(({ outcome }) => outcome === 'passed')) problems.push('no check has passed');
  const failed = results.some(({ outcome }) => outcome === 'failed');
  const incomplete = options.requireAll && results.some(({ outcome }) => outcome === 'not run');
  return {
    target: target.credentials.base_url,
    startedAt: startedAt.toISOString(),
    durationSeconds: (Date.now() - startedAt.getTime()) / 1000,
    seed: options.seed,
    results,
    rules,
    problems,
    held: !failed && !incomplete && problems.length === 0,
  };
}

function secretsOf(credentials: Credentials): string[] {
  return Object.entries(credentials)
    .filter(([name]) => /_(key|token)$/.test(name))
    .map(([, value]) => value as string);
}
