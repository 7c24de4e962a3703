import type { Mutant } from '../mutant.ts';
import { auditMutants } from './audit.ts';
import { authenticationMutants } from './authentication.ts';
import { authorisationMutants } from './authorisation.ts';
import { bodyFormMutants } from './body-forms.ts';
import { cacheMutants } from './cache.ts';
import { caughtByChecks } from './caught-by-checks.ts';
import { caughtByConformance } from './caught-by-conformance.ts';
import { errorCodeMutants } from './error-codes.ts';
import { fieldMutants } from './fields.ts';
import { fileMutants } from './files.ts';
import { formatMutants } from './formats.ts';
import { headerMutantList } from './headers.ts';
import { invalidBodyMutants } from './invalid-bodies.ts';
import { limitMutants } from './limits.ts';
import { methodMutants } from './methods.ts';
import { orderMutants } from './order.ts';
import { pathMutants } from './paths.ts';
import { persistenceMutants } from './persistence.ts';
import { relationMutants } from './relations.ts';
import { staleResponseMutants } from './stale-responses.ts';
import { statusMutants } from './statuses.ts';
import { tenancyMutants } from './tenancy.ts';
import { typeMutants } from './types.ts';

/** Every mutant, by its kind. */
export const mutantsByKind: Readonly<Record<string, readonly Mutant[]>> = {
  'types and nulls': typeMutants,
  'enumerations and formats': formatMutants,
  'missing and extra fields': fieldMutants,
  relations: relationMutants,
  'files of a case': fileMutants,
  statuses: statusMutants,
  'media types and headers': headerMutantList,
  'error codes': errorCodeMutants,
  authentication: authenticationMutants,
  'permission and feature': authorisationMutants,
  tenancy: tenancyMutants,
  persistence: persistenceMutants,
  'stale responses': staleResponseMutants,
  'invalid bodies': invalidBodyMutants,
  'forms of bodies': bodyFormMutants,
  'order of checks': orderMutants,
  'cached results': cacheMutants,
  'audit log': auditMutants,
  methods: methodMutants,
  'paths and identifiers': pathMutants,
  limits: limitMutants,
};

const caughtBy = new Map(
  Object.entries({ ...caughtByChecks, ...caughtByConformance }).flatMap(([patterns, names]) =>
    names.map((name) => [name, patterns.split(' ')] as const),
  ),
);

/** The checks, as patterns, of which one must be the first to find a mutant. */
export function checksAbout(mutant: string): readonly string[] {
  return caughtBy.get(mutant) ?? [];
}
