/** A whole run: every check that is chosen, against one target, to a report without secrets. */
import { setMaxListeners } from 'node:events';
import { count } from '../cli/run-command.ts';
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import { ruleChecks } from '../own-api/checks.ts';
import { restoringSetting } from '../own-api/restore-setting.ts';
import { interfaceRules, traceRules } from '../own-api/rules.ts';
import { exploredChecks } from '../plan/explored-checks.ts';
import { inAllWays, inOtherWays } from '../plan/in-other-ways.ts';
import { relationChecks, withItems } from '../relations/index.ts';
import { replayChecks } from '../plan/provoked.ts';
import { replayDocument } from '../replay/replay.ts';
import { createConformanceRecord } from './conformance.ts';
import { createHttpClient } from './http-client.ts';
import { type Pacing, pacingOf } from './limits.ts';
import { maskReport } from './mask.ts';
import type { Check, CheckResult, Progress, Report, RuleResult, Source, Target } from './model.ts';
import { plainUrls, withContainedIdentifiers } from './reach-target.ts';
import { mayBeLeft, operatorFailed, runChecks } from './run-checks.ts';
import { isSelected, type KnownFailures, leftOut, notRun } from './selection.ts';
import { ownAddresses, spareFailedAuthentications } from './senders.ts';
import type { SessionOptions } from './session.ts';

/** How a run is made. */
export interface RunOptions extends Pick<
  SessionOptions,
  'document' | 'allowExtraFields' | 'seed' | 'documentFile' | 'selection' | 'workers' | 'first' | 'stopAtFirstFailure'
> {
  /** How long the whole run may take; what has not run by then is not run. */
  readonly runTimeoutSeconds?: number;
  /** Stops the run once it is aborted; its reason is an error that says why. */
  readonly signal?: AbortSignal;
  /** How long the target may take for one response. */
  readonly timeoutSeconds: number;
  /** Whether a check that is not run makes the run fail, unless it needs the operator of the target. */
  readonly requireAll: boolean;
  /** Every check of the document, which serves one run alone. */
  readonly checks: readonly Check[];
  /** Sends several times as many requests of the plan. */
  readonly thorough?: boolean;
  /** Has Dredd replay the documented responses, in place of the suite itself. */
  readonly dredd?: boolean;
  readonly knownFailures?: KnownFailures;
  /** What is known of the target's limits already. */
  readonly pacing?: Pacing;
  /** Whose promises are checked. */
  readonly promises: readonly Source[];
}

/** Every check of a document, in the order in which they run. */
export function allChecks(document: ApiDocument, seed: number, thorough = false): Check[] {
  return [
    ...replayChecks(document),
    // The rules of the interface belong to the very document alone.
    ...inAllWays(document === ownDocument ? ruleChecks : [], document, seed),
    ...exploredChecks(document, seed, thorough),
    ...inOtherWays(relationChecks(document, seed, thorough), document, seed, thorough),
  ];
}

/** Checks a target against the whole contract, or what was chosen of it. No secret is in the report. */
export async function runContract(target: Target, options: RunOptions, progress: Progress): Promise<Report> {
  const startedAt = new Date();
  const { document, promises } = options;
  const { credentials } = target;
  const { results, problems } = await runAll(target, options, progress);
  const owed = document === ownDocument ? interfaceRules.filter(({ source }) => promises.includes(source)) : [];
  const rules = traceRules(owed, results);
  problems.push(...problemsOf(results, rules, options));
  const report = reportOf(credentials.base_url, options, { results, rules, problems }, startedAt);
  return maskReport(report, credentials);
}

/** A report on what was found at an address, which may be why nothing could be checked. */
export function reportOf(
  target: string,
  { document, documentFile, seed, promises }: RunOptions,
  found: Pick<Report, 'results' | 'rules' | 'problems'>,
  startedAt = new Date(),
): Report {
  return {
    target,
    title: document.title,
    version: document.version,
    ...(documentFile !== undefined && { documentFile }),
    startedAt: startedAt.toISOString(),
    durationSeconds: (Date.now() - startedAt.getTime()) / 1000,
    seed,
    promises,
    ...found,
    conforms: found.problems.length === 0 && !found.results.some(({ outcome }) => outcome === 'failed'),
  };
}

async function runAll(
  target: Target,
  options: RunOptions,
  progress: Progress,
): Promise<{ results: CheckResult[]; problems: string[] }> {
  const { document, promises, seed, thorough, timeoutSeconds, requireAll, selection, knownFailures } = options;
  const { credentials } = target;
  const isOwn = isOwnApi(document);
  const controller = new AbortController();
  const stop = (reason: string) => {
    controller.abort(new Error(reason));
  };
  const { signal: given, runTimeoutSeconds: most } = options;
  const signal = AbortSignal.any([controller.signal, given ?? []].flat());
  setMaxListeners(0, signal);
  const late = `the run has taken the ${most} s that it may take`;
  const timer = most === undefined ? undefined : setTimeout(stop, most * 1000, late);
  const urls = plainUrls(credentials, document);
  const onGone = () => {
    stop('the target has stopped responding');
  };
  const client = createHttpClient(timeoutSeconds, { urls, onGone }, credentials.connection);
  const pacing = options.pacing ?? pacingOf(credentials, progress);
  const ofEach = urls.flatMap(([first = []]) => first);
  const addresses = await ownAddresses(ofEach, client);
  const isChosen = ({ source }: { readonly source: Source }) => promises.includes(source);
  const record = createConformanceRecord(document, credentials, (check) => {
    if (isChosen(check)) progress.onViolation?.(check.id);
  });
  const spared = { mayWait: requireAll, mayUseUp: target.mayExhaustLimits };
  const unstoppable = {
    ...options,
    ...{ target, client, pacing, addresses },
    // An interrupted run puts back what it has changed, too.
    signal: new AbortController().signal,
    ...(addresses.length === 1 && { failedAuthentications: spareFailedAuthentications(spared) }),
  };
  const session = { ...unstoppable, signal, record };
  const made = isOwn ? undefined : await withItems(session, document);
  const all = (made ? allChecks(made.document, seed, thorough) : options.checks).filter(isChosen);
  const replays = options.dredd === true && promises.includes('document');
  const settled = (result: CheckResult): CheckResult => knownFailures?.settled(result) ?? result;
  let done = 0;
  const events = {
    onStart: (id: string): void => progress.onStart?.(id, done, all.length),
    onResult: (result: CheckResult): void => {
      progress.onResult(settled(result), (done += 1), all.length);
    },
  };
  const problems: string[] = [];
  const results: CheckResult[] = [];
  const work = async () => {
    const checks = replays ? all.filter(({ layer }) => layer !== 'replay') : all;
    if (replays) results.push(...(await replayDocument(session, events.onResult)).map(settled));
    results.push(
      ...(await runChecks(checks, await withContainedIdentifiers({ ...session, ...made }), events)).map(settled),
    );
  };
  try {
    await (isOwn ? restoringSetting(unstoppable, progress, problems, work) : work());
  } finally {
    await made?.cleanUp();
    client.close();
    clearTimeout(timer);
  }
  // What the chosen checks have received counts, whether --only names it or not.
  const isSkipped = ({ check }: CheckResult) => selection && !isSelected({ only: [], skip: selection.skip }, check);
  for (const result of record.results().filter(({ check }) => isChosen(check)))
    results.push(isSkipped(result) ? notRun(result.check, leftOut) : settled(result));
  if (signal.aborted) problems.unshift((signal.reason as Error).message);
  return { results, problems };
}

/** What is wrong with the run itself, rather than with a check. */
function problemsOf(
  results: readonly CheckResult[],
  rules: readonly RuleResult[],
  { knownFailures, requireAll }: RunOptions,
): string[] {
  const due = results.filter((result) => !mayBeLeft(result) && result.check.layer !== 'conformance');
  const left = due.filter(({ outcome }) => outcome === 'not run').length;
  // That a response breaks some promises and not others shows nothing yet.
  const hasPassed = results.some(({ check, outcome }) => outcome === 'passed' && check.layer !== 'conformance');
  return [
    ...rules.filter(({ checks }) => checks.length === 0).map(({ id }) => `the rule ${id} has no check`),
    ...results.flatMap(({ reason }) => (reason?.startsWith(operatorFailed) === true ? [reason] : [])).slice(0, 1),
    ...(knownFailures?.problems(results) ?? []),
    ...(hasPassed ? [] : ['no check has passed']),
    ...(requireAll && left > 0 ? [`${count(left, 'check')} that must run did not`] : []),
    ...(!requireAll && left > due.length / 2 ? [`${left} of ${count(due.length, 'check')} did not run`] : []),
  ];
}
