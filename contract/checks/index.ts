/**
 * Layer 3: checks derived only from the document. A new operation gets all of them without any code here. Information
 * missing from the document becomes a need of its checks, so that they are reported as not run.
 */
import type { ApiDocument } from '../document/model.ts';
import { isOwnApi, ownDocument } from '../document/own-document.ts';
import type { Check } from '../run/model.ts';
import { type Baseline, baselineOf } from './baseline.ts';
import { bodySchemaChecks } from './properties/body-schema.ts';
import { bodySizeChecks } from './properties/body-size.ts';
import { bodyTextChecks } from './properties/body-text.ts';
import { conditionalChecks } from './properties/conditional.ts';
import { headerChecks } from './properties/header.ts';
import { identifierChecks } from './properties/identifier.ts';
import { mediaTypeChecks } from './properties/media-type.ts';
import { methodChecks } from './properties/method.ts';
import { namedFaultsChecks } from './properties/named-faults.ts';
import { parameterChecks } from './properties/parameter.ts';
import { pathChecks, unknownPathChecks } from './properties/path.ts';
import { queryChecks } from './properties/query.ts';
import { securityChecks } from './properties/security.ts';
import { serviceChecks } from './properties/service.ts';
import { validRequestCheck } from './properties/valid-request.ts';
import { randomChecks } from './random/checks.ts';

/**
 * The generated checks of every operation. The seed determines their random choices. Another API is checked only
 * against its document.
 */
export function generatedChecks(seed: number, document: ApiDocument = ownDocument): Check[] {
  const baselines = document.operations.map((operation) => baselineOf(operation, document));
  const checks = [
    ...baselines.flatMap((baseline) => [
      validRequestCheck(baseline),
      ...bodySchemaChecks(baseline),
      ...namedFaultsChecks(baseline),
      ...bodyTextChecks(baseline),
      ...bodySizeChecks(baseline),
      ...mediaTypeChecks(baseline),
      ...securityChecks(baseline, seed),
      ...identifierChecks(baseline),
      ...parameterChecks(baseline),
      ...queryChecks(baseline),
      ...headerChecks(baseline),
      ...conditionalChecks(baseline),
    ]),
    ...byPath(baselines).flatMap(methodChecks),
    ...byPath(baselines).flatMap(pathChecks),
    ...unknownPathChecks(baselines),
    ...serviceChecks(document),
    ...baselines.flatMap(randomChecks),
  ];
  return isOwnApi(document) ? checks : checks.filter(({ source }) => source === 'document');
}

function byPath(baselines: readonly Baseline[]): Baseline[][] {
  const paths = [...new Set(baselines.map(({ operation }) => operation.path))];
  return paths.map((path) => baselines.filter(({ operation }) => operation.path === path));
}
