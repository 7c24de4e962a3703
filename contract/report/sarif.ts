import { relative, sep } from 'node:path';
import type { Report } from '../run/model.ts';
import { failedChecks, findingsOf, inOneLine, textOf } from './overview.ts';

/** The path in the package of the document that is checked against by default. */
const ownDocumentPlace = 'generated/openapi.json';

/** The report as SARIF 2.1.0: a rule and a result for each check that failed. */
export function sarifOf(report: Report): string {
  const { problems, startedAt, target, seed, documentFile: file } = report;
  const known = report.results.filter(({ outcome }) => outcome === 'known failure');
  const failed = [...failedChecks(report), ...known];
  // As a relative reference, by which GitHub finds a file of the repository.
  const uri = file === undefined ? ownDocumentPlace : relative('.', file).split(sep).map(encodeURIComponent).join('/');
  const rules = failed.map(({ check: { id, title, layer, rules: shown } }) => ({
    id,
    shortDescription: { text: title },
    properties: { tags: [layer, ...shown] },
  }));
  const results = failed.map((result, ruleIndex) => {
    const { check, outcome } = result;
    const [first] = findingsOf(result);
    return {
      ruleId: check.id,
      ruleIndex,
      level: 'error',
      message: { text: (first && textOf(first, inOneLine)) ?? check.title },
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
  });
  const invocation = {
    executionSuccessful: problems.length === 0,
    toolExecutionNotifications: problems.map((text) => ({ level: 'error', message: { text } })),
    startTimeUtc: startedAt,
  };
  const run = {
    tool: { driver: { name: 'document-analysis-contract', rules } },
    invocations: [invocation],
    properties: { target, seed },
    results,
  };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return `${JSON.stringify(log, null, 2)}\n`;
}
