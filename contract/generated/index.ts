/**
 * Layer 3: checks derived from the document alone. A new operation gets all of them without a line of code here; what the
 * document does not say of it is among the needs of its checks, so that they are reported as not run.
 */
import { type DocumentedOperation, documentedOperations } from '../../src/conformance/document.ts';
import type { Check } from '../model.ts';
import { type Baseline, baselineOf } from './baseline.ts';
import { bodySchemaChecks } from './checks/body-schema.ts';
import { bodySizeChecks } from './checks/body-size.ts';
import { bodyTextChecks } from './checks/body-text.ts';
import { headerChecks } from './checks/header.ts';
import { identifierChecks } from './checks/identifier.ts';
import { mediaTypeChecks } from './checks/media-type.ts';
import { methodChecks } from './checks/method.ts';
import { pathChecks, unknownPathChecks } from './checks/path.ts';
import { queryChecks } from './checks/query.ts';
import { securityChecks } from './checks/security.ts';
import { validRequestCheck } from './checks/valid-request.ts';
import { randomChecks } from './random/checks.ts';

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
