import { count } from '../cli/run-command.ts';
import type { ConformanceOptions } from '../oracle/response.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import { allChecks } from './all-checks.ts';
import { type AnnouncedLimits, announcedLimits, sharedBy } from './pacing.ts';
import { createHttpClient } from './http-client.ts';
import { FailedAuthentications } from './failed-authentications.ts';
import type { KnownFailures } from './known-failures.ts';
import { maskReport, namesOf } from './mask.ts';
import { ConformanceRecord } from './conformance-record.ts';
import { type CheckResult, type Progress, type Report, type Source, type Target, sources } from './model.ts';
import { ownAddresses } from './own-addresses.ts';
import { plainUrls } from './reach-target.ts';
import { replayDocument } from '../replay/replay.ts';
import { interfaceRules } from '../own-api/interface-rules.ts';
import { ResponseJudge } from '../own-api/response-rules.ts';
import { traceRules } from '../own-api/trace-rules.ts';
import { WatchedSetting } from '../own-api/watched-setting.ts';
import { mayBeLeft, operatorFailed, runChecks } from './run-checks.ts';
import { withContainedIdentifiers } from './read-identifiers.ts';
import { restoringSetting } from './restore-setting.ts';
import { RunStop, type StopOptions } from './run-stop.ts';
import { isSelected, notChosen } from './selection.ts';
import type { SessionOptions } from './session.ts';

type SharedOptions = Pick<
  SessionOptions,
  'seed' | 'documentFile' | 'selection' | 'workers' | 'first' | 'stopAtFirstFailure'
>;

export interface RunOptions extends ConformanceOptions, StopOptions, SharedOptions {
  /** How long the target may take for one response. */
  readonly timeoutSeconds: number;
  /** Whether a check that is not run makes the run fail, unless it needs the operator of the target. */
  readonly requireAll: boolean;
  /** Sends several times as many requests of the plan. */
  readonly thorough?: boolean;
  /** Has Dredd replay the documented responses, in place of the suite itself. */
  readonly dredd?: boolean;
  readonly knownFailures?: KnownFailures;
  /** What is known of the target's limits already. */
  readonly limits?: AnnouncedLimits;
  /** Whose promises are checked; by default all. */
  readonly promises?: readonly Source[];
}

/** Checks a target against the whole contract, or what was chosen of it. No secret is in the report. */
export async function runContract(target: Target, options: RunOptions, progress: Progress): Promise<Report> {
  const startedAt = new Date();
  const { document = ownDocument } = options;
  const stop = new RunStop(options);
  const watch = {
    urls: plainUrls(target.credentials, document),
    onGone: () => {
      stop.stop('the target has stopped responding');
    },
  };
  const client = createHttpClient(options.timeoutSeconds, watch, target.credentials.connection);
  const { pacing, shared } = options.limits ?? announcedLimits(target.credentials, progress);
  const { seed, allowExtraFields, documentFile, selection, knownFailures } = options;
  const addresses = await ownAddresses(target.credentials, client, document);
  const spared = { mayWait: options.requireAll, mayUseUp: target.mayExhaustLimits };
  const unstoppable = {
    target,
    client,
    pacing,
    addresses,
    ...(addresses.length === 1 && { failedAuthentications: new FailedAuthentications(spared) }),
    seed,
    allowExtraFields,
    document,
    ...(documentFile && { documentFile }),
    ...(selection && { selection }),
    ...(options.workers !== undefined && { workers: options.workers }),
    ...(options.first && { first: options.first }),
  };
  const { stopAtFirstFailure = false } = options;
  const { promises = sources } = options;
  const isChosen = ({ source }: { readonly source: Source }) => promises.includes(source);
  const record = new ConformanceRecord(document, target.credentials, (check) => {
    if (isChosen(check)) progress.onViolation?.(check.id);
  });
  const ofOwnApi = isOwnApi(document) && {
    watchedSetting: new WatchedSetting(document, namesOf(target.credentials)),
    responseJudge: new ResponseJudge(document, target.credentials),
  };
  const session = {
    ...unstoppable,
    signal: stop.signal,
    stopAtFirstFailure,
    record,
    ...ofOwnApi,
  };
  const all = allChecks(document, seed, options.thorough).filter(isChosen);
  const replay = options.dredd === true && promises.includes('document') ? replayDocument(session) : undefined;
  const checks = replay ? all.filter(({ layer }) => layer !== 'replay') : all;
  const total = all.length;
  const settled = (result: CheckResult): CheckResult => {
    const ended = stop.settled(result);
    return knownFailures?.settled(ended) ?? ended;
  };
  let done = 0;
  const events = {
    onStart: (id: string): void => progress.onStart?.(id, done, total),
    onResult: (result: CheckResult): void => {
      progress.onResult(settled(result), (done += 1), total);
    },
  };
  const problems: string[] = [];
  const results: CheckResult[] = [];
  try {
    await restoringSetting(unstoppable, progress, problems, async () => {
      if (replay) results.push(...(await replay.run(events.onResult)).map(settled));
      results.push(...(await runChecks(checks, await withContainedIdentifiers(session), events)).map(settled));
    });
  } finally {
    client.close();
    stop.end();
  }
  // What the chosen checks have received counts, whether --only names it or not.
  const skipped = selection && { only: [], skip: selection.skip };
  for (const result of record.results())
    if (isChosen(result.check))
      results.push(skipped && !isSelected(skipped, result.check) ? notChosen(result) : settled(result));
  if (stop.reason !== undefined) problems.unshift(stop.reason);
  if (shared.length > 0 && results.some(({ outcome }) => outcome === 'failed')) problems.push(sharedBy(shared));
  const rules = document === ownDocument ? traceRules(interfaceRules.filter(isChosen), results) : [];
  for (const { id, checks: shownBy } of rules) if (shownBy.length === 0) problems.push(`the rule ${id} has no check`);
  const failedOperator = results.find(({ reason }) => reason?.startsWith(operatorFailed));
  if (failedOperator?.reason !== undefined) problems.push(failedOperator.reason);
  problems.push(...(knownFailures?.problems(results) ?? []));
  // That a response breaks some promises and not others shows nothing yet.
  if (!results.some(({ check, outcome }) => outcome === 'passed' && check.layer !== 'conformance'))
    problems.push('no check has passed');
  const due = results.filter((result) => !mayBeLeft(result) && result.check.layer !== 'conformance');
  const notRun = due.filter(({ outcome }) => outcome === 'not run').length;
  if (options.requireAll && notRun > 0) problems.push(`${count(notRun, 'check')} that must run did not`);
  else if (notRun > due.length / 2) problems.push(`${notRun} of ${count(due.length, 'check')} did not run`);
  return maskReport(
    {
      target: target.credentials.base_url,
      title: document.title,
      version: document.version,
      ...(documentFile !== undefined && { documentFile }),
      startedAt: startedAt.toISOString(),
      durationSeconds: (Date.now() - startedAt.getTime()) / 1000,
      seed,
      promises,
      results,
      rules,
      problems,
      conforms: problems.length === 0 && !results.some(({ outcome }) => outcome === 'failed'),
    },
    target.credentials,
  );
}
