import { count } from '../cli/run-command.ts';
import {
  type CheckResult,
  type Failure,
  type Layer,
  type Outcome,
  type Report,
  type RuleResult,
  type Source,
  layers,
  sources,
} from '../run/model.ts';

export { layers };

/** Counts by outcome. */
export type Tally = Record<Outcome, number>;

export function tally(results: readonly { readonly outcome: Outcome }[]): Tally {
  const counts: Tally = { passed: 0, failed: 0, 'known failure': 0, 'not run': 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

/** How many requests were made; those of the layer `conformance` are those of the others. */
export function requestsOf({ results }: Report): number {
  return results.reduce((sum, { check, exchanges }) => sum + (check.layer === 'conformance' ? 0 : exchanges), 0);
}

/** The counts in the terms of test runners, in which a known failure is skipped. */
export function countsOf(counts: Tally): { passed: number; failed: number; skipped: number } {
  const { passed, failed } = counts;
  return { passed, failed, skipped: counts['not run'] + counts['known failure'] };
}

export function resultsOf({ results }: Report, layer: Layer): CheckResult[] {
  return results.filter(({ check }) => check.layer === layer);
}

export function resultsFrom({ results }: Report, source: Source): CheckResult[] {
  return results.filter(({ check }) => check.source === source);
}

export function failedChecks({ results }: Report): CheckResult[] {
  return results.filter(({ outcome }) => outcome === 'failed');
}

/** The checks that were not run, by reason, most frequent first. */
export function notRunByReason({ results }: Report): [reason: string, checks: CheckResult[]][] {
  return byReason(results.filter(({ outcome }) => outcome === 'not run'));
}

function byReason<Item extends { readonly reason?: string }>(items: readonly Item[]): [string, Item[]][] {
  const reasons = new Map<string, Item[]>();
  for (const item of items) {
    const reason = item.reason ?? 'no reason is known';
    reasons.set(reason, [...(reasons.get(reason) ?? []), item]);
  }
  return [...reasons].sort(([, a], [, b]) => b.length - a.length);
}

export function seconds(duration: number): string {
  return `${duration.toFixed(1)} s`;
}

const names: Record<Source, string> = {
  interface: 'the interface',
  document: 'the document',
  decision: 'the decisions',
};

/** The whole report in one sentence. It does not claim conformance for parts that were not checked. */
export function verdictOf(report: Report): string {
  const { promises, rules, results, conforms } = report;
  const whole = promises.length === sources.length;
  const whom = whole ? '' : ` to ${promises.map((source) => names[source]).join(' and ')}`;
  if (!conforms) return `The server ${failedChecks(report).length > 0 ? 'does not' : 'is not shown to'} conform${whom}`;
  const [openRules, { 'not run': openChecks, 'known failure': known }] = [tally(rules)['not run'], tally(results)];
  const but = known > 0 ? ` but ${count(known, 'known failure')}` : '';
  if (openChecks === 0) return `The server conforms${whom}${but}`;
  const open = openRules > 0 ? `${count(openRules, 'rule')} not checked` : `${count(openChecks, 'check')} not run`;
  return `The server conforms${whom} in all that was checked${but}; ${open}`;
}

/** The rules that no check has verified, by reason. */
export function rulesNotShown({ rules }: Report): [reason: string, rules: RuleResult[]][] {
  return byReason(rules.filter(({ outcome }) => outcome === 'not run'));
}

/** The findings of a check in one exchange. */
export interface Observation extends Omit<Failure, 'message' | 'count'> {
  readonly messages: string[];
}

/** The failures of a check, grouped by exchange, with how often they occurred. */
export function observationsOf({ failures, exchanges }: CheckResult): Observation[] {
  const observations = new Map<string, Observation>();
  for (const { message: found, count: times, ...exchange } of failures) {
    const message = times === undefined ? found : `${found} (${times} of ${count(exchanges, 'response')})`;
    const key = JSON.stringify([exchange.curl, exchange.response]);
    const observation = observations.get(key) ?? { messages: [], ...exchange };
    observations.set(key, observation);
    if (!observation.messages.includes(message)) observation.messages.push(message);
  }
  return [...observations.values()];
}

/** Failed checks with the same finding, which a single fault of the server probably explains. */
export interface Cause {
  /** The finding, without the parts that differ between the checks. */
  readonly found: string;
  /** The first one is reported in full. */
  readonly results: readonly CheckResult[];
  /** In how many exchanges it was found. */
  readonly exchanges: number;
}

/** The failed checks by likely cause, sorted by descending number of failures. */
export function causesOf(report: Report): Cause[] {
  const byFinding = new Map<string, CheckResult[]>();
  for (const result of failedChecks(report)) {
    const found = commonPart(result.failures[0]?.message ?? '');
    byFinding.set(found, [...(byFinding.get(found) ?? []), result]);
  }
  return [...byFinding]
    .map(([found, results]) => ({ found, results, exchanges: sum(results.map(exchangesOf)) }))
    .sort((a, b) => b.results.length - a.results.length || b.exchanges - a.exchanges);
}

/** The finding without the caller and the input; whatever fails with one way of asking alone has one cause. */
function commonPart(message: string): string {
  const [, way] = /, only with (.*)$/s.exec(message) ?? [];
  if (way !== undefined) return `another response, only with ${way}`;
  return message
    .replace(/; the smallest input found is .*$/s, '')
    .replace(/^(expected .*?) for .*(, got .*)$/s, '$1$2');
}

function exchangesOf({ failures: [first] }: CheckResult): number {
  return first?.count ?? 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The representation of requests and responses in reports. */
const longestLine = 500;

/** The parts of a request or response in a `Failure`. */
export interface MessageParts {
  readonly first: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** The first line, the headers and the body of a request or response. */
export function partsOf(message: string): MessageParts {
  const end = message.indexOf('\n\n');
  const [first = '', ...lines] = (end < 0 ? message : message.slice(0, end)).split('\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  return { first, headers, body: end < 0 ? '' : message.slice(end + 2) };
}

/** A response in one line: status and body. */
export function inOneLine(message: string): string {
  const { first, body } = partsOf(message);
  const line = `${first} ${body}`.trim();
  return line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (${body.length} characters)`;
}

/** The curl command with the path of the files that it names. @param folder the folder of the reports */
export function curlIn(curl: string, folder: string): string {
  return folder === '.' || folder === ''
    ? curl
    : curl.replaceAll(/@(?=contract-(?:body|header)-[0-9a-f]{12})/g, `@${folder}/`);
}
