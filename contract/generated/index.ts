/**
 * Layer 3: checks derived from the document alone. A new operation gets all of them without a line of code here; what the
 * document does not say of it is among the needs of its checks, so that they are reported as not run.
 */
import { type DocumentedOperation, documentedOperations } from '../../src/conformance/document.js';
import type { Check } from '../model.js';
import { type Baseline, baselineOf } from './baseline.js';
import { bodySchemaChecks } from './checks/body-schema.js';
import { bodySizeChecks } from './checks/body-size.js';
import { bodyTextChecks } from './checks/body-text.js';
import { headerChecks } from './checks/header.js';
import { identifierChecks } from './checks/identifier.js';
import { mediaTypeChecks } from './checks/media-type.js';
import { methodChecks } from './checks/method.js';
import { pathChecks, unknownPathChecks } from './checks/path.js';
import { queryChecks } from './checks/query.js';
import { securityChecks } from './checks/security.js';
import { validRequestCheck } from './checks/valid-request.js';
import { randomChecks } from './random/checks.js';

/** The generated checks of every operation. The seed decides what is random in them. */
export function generatedChecks(
  seed: number,
  operations: readonly DocumentedOperation[] = documentedOperations,
): Check[] {
  const baselines = operations.map(baselineOf);
  return [
    ...baselines.flatMap((baseline) => [
      validRequestCheck(baseline),
      ...bodySchemaChecks(baseline),
      ...bodyTextChecks(baseline),
      ...bodySizeChecks(baseline),
      ...mediaTypeChecks(baseline),
      ...securityChecks(baseline, seed),
      ...identifierChecks(baseline),
      ...queryChecks(baseline),
      ...headerChecks(baseline),
    ]),
    ...byPath(baselines).flatMap(methodChecks),
    ...byPath(baselines).flatMap(pathChecks),
    ...unknownPathChecks(baselines),
    ...baselines.flatMap(randomChecks),
  ];
}

function byPath(baselines: readonly Baseline[]): Baseline[][] {
  const paths = [...new Set(baselines.map(({ operation }) => operation.path))];
  return paths.map((path) => baselines.filter(({ operation }) => operation.path === path));
}
