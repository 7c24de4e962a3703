/** What a report says, from which each of its formats is made: the verdict, the counts, and each broken promise once. */
import { count } from '../cli/run-command.ts';
import { type CheckResult, type Failure, type Outcome, type Report, layers, sources } from '../run/model.ts';

type Tally = ReturnType<typeof tally>;

export function tally(results: readonly { readonly outcome: Outcome }[]) {
  const counts = { passed: 0, failed: 0, 'known failure': 0, 'not run': 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

/** In the terms of test runners, a known failure is skipped. */
export function skippedOf(counts: Tally): number {
  return counts['not run'] + counts['known failure'];
}

/** Results with something in common, by its name. */
export interface Part<Item> {
  readonly name: string;
  readonly results: readonly Item[];
}

export function layersOf({ results }: Pick<Report, 'results'>): Part<CheckResult>[] {
  return layers.map((name) => ({ name, results: results.filter(({ check }) => check.layer === name) }));
}

/** The results of each source whose promises were checked. */
export function promisesOf({ promises, results }: Report): Part<CheckResult>[] {
  return promises.map((name) => ({ name, results: results.filter(({ check }) => check.source === name) }));
}

/** What was not run, by reason, the most frequent first: checks, or rules that no check has shown. */
export function notRunByReason<Item extends { readonly outcome: Outcome; readonly reason?: string }>(
  items: readonly Item[],
): Part<Item>[] {
  const notRun = items.filter(({ outcome }) => outcome === 'not run');
  const byReason = Map.groupBy(notRun, ({ reason }) => reason ?? 'no reason is known');
  return [...byReason].map(([name, results]) => ({ name, results })).sort(byMost);
}

/** How many requests were made; those of the layer `conformance` are those of the others. */
export function requestsOf({ results }: Report): number {
  return results.reduce((sum, { check, exchanges }) => sum + (check.layer === 'conformance' ? 0 : exchanges), 0);
}

export function failedChecks({ results }: Report): CheckResult[] {
  return results.filter(({ outcome }) => outcome === 'failed');
}

/** The whole report in one sentence. It does not claim conformance for parts that were not checked. */
export function verdictOf(report: Report): string {
  const { promises, rules, results, conforms } = report;
  const names = { interface: 'the interface', document: 'the document', decision: 'the decisions' };
  const whole = promises.length === sources.length;
  const whom = whole ? '' : ` to ${promises.map((source) => names[source]).join(' and ')}`;
  if (!conforms) return `The server ${failedChecks(report).length > 0 ? 'does not' : 'is not shown to'} conform${whom}`;
  const [openRules, { 'not run': openChecks, 'known failure': known }] = [tally(rules)['not run'], tally(results)];
  const but = known > 0 ? ` but ${count(known, 'known failure')}` : '';
  if (openChecks === 0) return `The server conforms${whom}${but}`;
  const open = openRules > 0 ? `${count(openRules, 'rule')} not checked` : `${count(openChecks, 'check')} not run`;
  return `The server conforms${whom} in all that was checked${but}; ${open}`;
}

export interface Observation extends Partial<Failure> {
  readonly messages: string[];
}

/** The failures of a check, grouped by exchange, with how often they occurred. */
export function observationsOf({ failures, exchanges }: CheckResult): Observation[] {
  const byExchange = Map.groupBy(failures, ({ curl, response }) => JSON.stringify([curl, response]));
  return [...byExchange.values()].map((found) => {
    const messages = found.map(({ message, count: times }) =>
      times === undefined ? message : `${message} (${times} of ${count(exchanges, 'response')})`,
    );
    return { ...found[0], messages: [...new Set(messages)] };
  });
}

/** A promise that was broken: the failed checks that show it, of which a single fault of the server is the likely cause. */
export type BrokenPromise = ReturnType<typeof brokenPromises>[number];

/** The failed checks by promise, the most frequent first. Checks of one promise share its words, or what they found. */
export function brokenPromises(report: Report) {
  const groups: { keys: Set<string>; results: CheckResult[] }[] = [];
  for (const result of failedChecks(report)) {
    const [first] = result.failures;
    const keys = new Set([result.check.title, ...(first ? [commonPart(first.message)] : [])]);
    const group = groups.find((each) => !each.keys.isDisjointFrom(keys)) ?? { keys, results: [] };
    if (group.results.push(result) === 1) groups.push(group);
    else group.keys = group.keys.union(keys);
  }
  return groups
    .map(({ results }) => ({
      found: commonPart(results[0]?.failures[0]?.message ?? ''),
      results,
      exchanges: results.reduce((sum, { failures: [first] }) => sum + (first?.count ?? 1), 0),
    }))
    .sort((a, b) => byMost(a, b) || b.exchanges - a.exchanges);
}

/** What the exchanges of a check show, each finding once, with the messages of all that show it. */
export function findingsOf(result: CheckResult): Observation[] {
  const byFinding = Map.groupBy(observationsOf(result), ({ messages: [first = ''] }) => commonPart(first));
  return [...byFinding.values()].map((alike) => {
    const shown = alike.find(({ rightCurl }) => rightCurl !== undefined) ?? alike[0];
    return { ...shown, messages: [...new Set(alike.flatMap(({ messages }) => messages))] };
  });
}

/** A message without the caller, the input and the value; whatever fails with one way of asking alone has one cause. */
function commonPart(message: string): string {
  const [, way] = /, only with (.*)$/s.exec(message) ?? [];
  if (way !== undefined) return `another response, only with ${way.replace(/: (?:(?! and [\w-]+: ).)*/gs, '')}`;
  return message
    .replace(/; the smallest input found is .*$/s, '')
    .replace(/^\w+ by [^:]*: /, '')
    .replace(/^(expected .*?) for .*(, got .*)$/s, '$1$2')
    .replace(/ \(\d+ of \d+ responses?\)$/, '');
}

function byMost(a: Pick<Part<unknown>, 'results'>, b: Pick<Part<unknown>, 'results'>): number {
  return b.results.length - a.results.length;
}

/** The parts of a request or response in a `Failure`: the first line, the headers and the body. */
export function partsOf(message: string) {
  const [head = '', body = ''] = message.split(/\n\n(.*)/s);
  const [first = '', ...lines] = head.split('\n');
  const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [name: string, value: string]);
  return { first, headers, body };
}

/** What an exchange shows, as text. @param shown how its response is shown */
export function textOf(observation: Observation, shown = (text: string) => text): string {
  const { messages, curl, response, beforeCurl, rightCurl } = observation;
  const parts = {
    after: beforeCurl,
    request: curl,
    response: response && shown(response),
    'gets the right response': rightCurl,
  };
  const named = Object.entries(parts).flatMap(([name, part]) => (part === undefined ? [] : [`${name}: ${part}`]));
  return [messages.join('\n'), ...named].join('\n\n');
}

const longestLine = 500;

/** A response in one line: status and body. */
export function inOneLine(message: string): string {
  const { first, body } = partsOf(message);
  const line = `${first} ${body}`.trim();
  return line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (${body.length} characters)`;
}
