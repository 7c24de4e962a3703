import { relative, sep } from 'node:path';
import type { CheckResult, Report } from '../run/model.ts';
import { failedChecks, inOneLine, observationsOf } from './tally.ts';

/** The path in the package of the document that is checked against by default. */
const ownDocumentPlace = 'generated/openapi.json';

/** The report as SARIF 2.1.0: a rule for each check that ran, and a result for each that failed. */
export function sarifOf(report: Report): string {
  const known = report.results.filter(({ outcome }) => outcome === 'known failure');
  const results = [...failedChecks(report), ...known];
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'document-analysis-contract',
            rules: results.map(({ check }) => ({
              id: check.id,
              shortDescription: { text: check.title },
              properties: { tags: [check.layer, ...check.rules] },
            })),
          },
        },
        invocations: [
          {
            executionSuccessful: report.problems.length === 0,
            toolExecutionNotifications: report.problems.map((text) => ({ level: 'error', message: { text } })),
            startTimeUtc: report.startedAt,
          },
        ],
        properties: { target: report.target, seed: report.seed },
        results: results.map((result, index) => resultOf(result, index, placeOf(report.documentFile))),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultOf(result: CheckResult, ruleIndex: number, uri: string) {
  const { check, outcome } = result;
  const [first] = observationsOf(result);
  const response = first?.response === undefined ? undefined : inOneLine(first.response);
  const lines = [first?.messages.join('\n'), first?.curl, response].filter((line) => line !== undefined);
  return {
    ruleId: check.id,
    ruleIndex,
    level: 'error',
    message: { text: lines.join('\n\n') || check.title },
    // Viewers such as GitHub's show a result only with a location in a file; this one is the document.
    locations: [
      {
        physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: check.operation ?? check.id, kind: 'function' }],
      },
    ],
    partialFingerprints: { 'check/v1': check.id },
    ...(outcome === 'known failure' && { suppressions: [{ kind: 'external', justification: 'a known failure' }] }),
  };
}

/** As a relative reference, by which GitHub finds a file of the repository. */
function placeOf(file: string | undefined): string {
  if (file === undefined) return ownDocumentPlace;
  return relative('.', file).split(sep).map(encodeURIComponent).join('/');
}
