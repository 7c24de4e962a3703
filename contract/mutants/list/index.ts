import type { Fault } from '../mutant.ts';
import { auditFaults } from './audit.ts';
import { authenticationFaults } from './authentication.ts';
import { authorisationFaults } from './authorisation.ts';
import { bodyFormFaults } from './body-forms.ts';
import { cacheFaults } from './cache.ts';
import { errorCodeFaults } from './error-codes.ts';
import { fieldFaults } from './fields.ts';
import { fileFaults } from './files.ts';
import { formatFaults } from './formats.ts';
import { headerFaultList } from './headers.ts';
import { invalidBodyFaults } from './invalid-bodies.ts';
import { limitFaults } from './limits.ts';
import { methodFaults } from './methods.ts';
import { orderFaults } from './order.ts';
import { pathFaults } from './paths.ts';
import { persistenceFaults } from './persistence.ts';
import { relationFaults } from './relations.ts';
import { staleAnswerFaults } from './stale-answers.ts';
import { statusFaults } from './statuses.ts';
import { tenancyFaults } from './tenancy.ts';
import { typeFaults } from './types.ts';

/** Every fault, by its kind. */
export const faultsByKind: Readonly<Record<string, readonly Fault[]>> = {
  'types and nulls': typeFaults,
  'enumerations and formats': formatFaults,
  'missing and extra fields': fieldFaults,
  relations: relationFaults,
  'files of a case': fileFaults,
  statuses: statusFaults,
  'media types and headers': headerFaultList,
  'error codes': errorCodeFaults,
  authentication: authenticationFaults,
  'permission and feature': authorisationFaults,
  tenancy: tenancyFaults,
  persistence: persistenceFaults,
  'stale answers': staleAnswerFaults,
  'invalid bodies': invalidBodyFaults,
  'forms of bodies': bodyFormFaults,
  'order of checks': orderFaults,
  'cached results': cacheFaults,
  'audit log': auditFaults,
  methods: methodFaults,
  'paths and identifiers': pathFaults,
  limits: limitFaults,
};
