import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { CheckResult, Outcome, Report } from '../run/model.ts';
import {
  causesOf,
  layers,
  notRunByReason,
  observationsOf,
  partsOf,
  requestsOf,
  resultsFrom,
  resultsOf,
  rulesNotShown,
  seconds,
  tally,
  verdictOf,
} from './tally.ts';

const [template, style] = ['page.eta', 'page.css'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));

/** How many failed checks are shown with their exchanges; a page with more would be slow to open. */
const mostInFull = 100;

/** The report as a self-contained page: no script, no request. */
export function htmlOf(report: Report): string {
  const outcomes = new Map<string, Outcome>(report.results.map(({ check, outcome }) => [check.id, outcome]));
  const statements = new Map(report.rules.map(({ id, statement }) => [id, statement]));
  let shown = 0;
  const cardOf = (result: CheckResult) => ({
    check: result.check,
    rules: result.check.rules.map((id) => ({ id, statement: statements.get(id) ?? '' })),
    inFull: (shown += 1) <= mostInFull,
    observations: observationsOf(result).map(({ request, response, ...rest }) => ({
      ...rest,
      messages: [
        ...(request === undefined ? [] : [{ heading: 'Request', ...partsOf(request) }]),
        ...(response === undefined ? [] : [{ heading: 'Response', ...partsOf(response) }]),
      ],
      found: rest.messages,
    })),
  });
  return new Eta({ autoTrim: false, useWith: false }).renderString(template ?? '', {
    report,
    style,
    verdict: verdictOf(report),
    version: report.version,
    requests: requestsOf(report),
    checks: tally(report.results),
    rules: tally(report.rules),
    layers: layers.map((name) => ({ name, results: resultsOf(report, name), counts: tally(resultsOf(report, name)) })),
    causes: causesOf(report).map(({ found, results, exchanges }) => ({ found, exchanges, cards: results.map(cardOf) })),
    measured: report.results.filter(({ measured }) => measured !== undefined),
    promises: report.promises.map((name) => ({ name, counts: tally(resultsFrom(report, name)) })),
    rulesNotShown: rulesNotShown(report),
    notRun: notRunByReason(report),
    rows: report.rules.map((rule) => {
      const checks = rule.checks.map((id) => ({ id, outcome: outcomes.get(id) ?? 'not run' }));
      return { ...rule, counts: tally(checks), unshown: checks.filter(({ outcome }) => outcome !== 'passed') };
    }),
    seconds,
    newLine: '\n',
    promisers: { interface: 'the interface document', document: 'the OpenAPI document', decision: 'a decision' },
    slug: (outcome: Outcome) => outcome.replace(' ', '-'),
  });
}
