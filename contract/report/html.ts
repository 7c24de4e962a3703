import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import type { CheckResult, Outcome, Report } from '../run/model.ts';
import {
  brokenPromises,
  layersOf,
  notRunByReason,
  observationsOf,
  partsOf,
  promisesOf,
  requestsOf,
  tally,
  verdictOf,
} from './overview.ts';

const [template, style] = ['page.eta', 'page.css'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));

/** How many failed checks are shown with their exchanges; a page with more would be slow to open. */
const mostInFull = 100;

const promisers = { interface: 'the interface document', document: 'the OpenAPI document', decision: 'a decision' };

/** The report as a self-contained page: no script, no request. */
export function htmlOf(report: Report): string {
  const outcomes = new Map<string, Outcome>(report.results.map(({ check, outcome }) => [check.id, outcome]));
  const statements = new Map(report.rules.map(({ id, statement }) => [id, statement]));
  let shown = 0;
  const cardOf = (result: CheckResult) => {
    const isInFull = (shown += 1) <= mostInFull;
    const { rules, source } = result.check;
    const given = (parts: Record<string, string | undefined>) =>
      Object.entries(isInFull ? parts : {}).filter((part): part is [string, string] => part[1] !== undefined);
    return {
      check: result.check,
      promised: rules.length === 0 ? [['Promised by', promisers[source]]] : rules.map((id) => [id, statements.get(id)]),
      observations: observationsOf(result).map(({ messages, request, response, curl, beforeCurl, rightCurl }) => ({
        messages,
        parts: given({ Request: request, Response: response }).map(([heading, text]) => [heading, partsOf(text)]),
        curls: given({
          'Sent before it': beforeCurl,
          'To repeat it': curl,
          'To compare: the request that gets the right response': rightCurl,
        }),
      })),
    };
  };
  const rules = report.rules.map((rule) => {
    const checks = rule.checks.map((id) => ({ id, outcome: outcomes.get(id) ?? 'not run' }));
    return { ...rule, passed: tally(checks).passed, unshown: checks.filter(({ outcome }) => outcome !== 'passed') };
  });
  const ofLayers = layersOf(report);
  const hasPassed = ({ outcome }: CheckResult) => outcome === 'passed';
  return new Eta({ autoTrim: false, useWith: false }).renderString(template ?? '', {
    report,
    style,
    verdict: verdictOf(report),
    requests: requestsOf(report),
    checks: tally(report.results),
    rules: tally(report.rules),
    rulesByOutcome: Object.entries(Object.groupBy(rules, ({ outcome }) => outcome)).sort(),
    tables: Object.entries({ Layer: ofLayers, 'Promised by': promisesOf(report) }),
    broken: brokenPromises(report).map(({ results, ...cause }) => ({ ...cause, cards: results.map(cardOf) })),
    measured: report.results.filter(({ measured }) => measured !== undefined),
    rulesNotShown: notRunByReason(report.rules),
    notRun: notRunByReason(report.results),
    passed: ofLayers.map(({ name, results }) => ({ name, results: results.filter(hasPassed) })),
    tally,
  });
}
