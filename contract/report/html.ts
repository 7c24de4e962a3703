import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { Outcome, Report } from '../run/model.ts';
import { causesOf } from './causes.ts';
import {
  layers,
  notRunByReason,
  observationsOf,
  resultsFrom,
  resultsOf,
  rulesNotShown,
  seconds,
  tally,
  verdictOf,
} from './tally.ts';

const [template, style] = ['page.eta', 'page.css'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));

/** The report as one page that needs nothing else: no script, no request. */
export function htmlOf(report: Report): string {
  const outcomes = new Map<string, Outcome>(report.results.map(({ check, outcome }) => [check.id, outcome]));
  return new Eta({ autoTrim: false, useWith: false }).renderString(template ?? '', {
    report,
    style,
    verdict: verdictOf(report),
    version: report.version,
    checks: tally(report.results),
    rules: tally(report.rules),
    layers: layers.map((name) => ({ name, results: resultsOf(report, name), counts: tally(resultsOf(report, name)) })),
    causes: causesOf(report).map(({ found, results, exchanges }) => ({
      found,
      exchanges,
      checks: results.map(({ check }) => check),
      observations: results.slice(0, 1).flatMap(observationsOf),
    })),
    promises: report.promises.map((name) => ({ name, counts: tally(resultsFrom(report, name)) })),
    rulesNotShown: rulesNotShown(report),
    notRun: notRunByReason(report),
    rows: report.rules.map((rule) => {
      const checks = rule.checks.map((id) => ({ id, outcome: outcomes.get(id) ?? 'not run' }));
      return { ...rule, counts: tally(checks), unshown: checks.filter(({ outcome }) => outcome !== 'passed') };
    }),
    seconds,
    slug: (outcome: Outcome) => outcome.replace(' ', '-'),
  });
}
