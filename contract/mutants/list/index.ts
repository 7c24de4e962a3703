import type { Mutant } from '../mutant.ts';
import { accessMutants } from './access.ts';
import { auditMutants } from './audit.ts';
import { authenticationMutants } from './authentication.ts';
import { authorisationMutants } from './authorisation.ts';
import { bodyFormMutants } from './body-forms.ts';
import { cacheMutants } from './cache.ts';
import { caseValueMutants } from './case-values.ts';
import { caughtByChecks } from './caught-by-checks.ts';
import { caughtByCrossings } from './caught-by-crossings.ts';
import { caughtByConformance } from './caught-by-conformance.ts';
import { caughtByTiming } from './caught-by-timing.ts';
import { concurrencyMutants } from './concurrency.ts';
import { crossedAuthorisationMutants } from './crossed-authorisation.ts';
import { crossedHeaderMutants } from './crossed-headers.ts';
import { caughtByPromises } from './caught-by-promises.ts';
import { effectMutants } from './effects.ts';
import { errorCodeMutants } from './error-codes.ts';
import { errorDetailMutants } from './error-details.ts';
import { fieldMutants } from './fields.ts';
import { fileMutants } from './files.ts';
import { formatMutants } from './formats.ts';
import { headerValueMutants } from './header-values.ts';
import { headerMutantList } from './headers.ts';
import { invalidBodyMutants } from './invalid-bodies.ts';
import { limitWindowMutants } from './limit-windows.ts';
import { limitMutants } from './limits.ts';
import { methodMutants } from './methods.ts';
import { oddBodyMutants } from './odd-bodies.ts';
import { orderMutants } from './order.ts';
import { overTimeMutants } from './over-time.ts';
import { legalRequestMutants } from './legal-requests.ts';
import { otherStatusMutants } from './other-statuses.ts';
import { pathMutants } from './paths.ts';
import { persistenceMutants } from './persistence.ts';
import { relationMutants } from './relations.ts';
import { responseByteMutants } from './response-bytes.ts';
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
  'windows of limits': limitWindowMutants,
  concurrency: concurrencyMutants,
  'over time': overTimeMutants,
  'who may do what, crossed': crossedAuthorisationMutants,
  'headers and methods, crossed': crossedHeaderMutants,
  'odd bodies': oddBodyMutants,
  'responses as bytes': responseByteMutants,
  'values of headers': headerValueMutants,
  'details of errors': errorDetailMutants,
  'values of a case': caseValueMutants,
  'other statuses': otherStatusMutants,
  'requests that are legal': legalRequestMutants,
  'effects of requests': effectMutants,
  'access under a condition': accessMutants,
};

/** The names of mutants, by the patterns of the checks about them. */
export const mutantsByChecks = [
  caughtByChecks,
  caughtByConformance,
  caughtByTiming,
  caughtByCrossings,
  caughtByPromises,
].flatMap((list) => Object.entries(list));

const caughtBy = new Map(
  mutantsByChecks.flatMap(([patterns, names]) => names.map((name) => [name, patterns.split(' ')] as const)),
);

/** The patterns of the checks, one of which must find the mutant first. */
export function checksAbout(mutant: string): readonly string[] {
  return caughtBy.get(mutant) ?? [];
}
