import type { Fault } from '../fault.js';
import { auditFaults } from './audit.js';
import { authenticationFaults } from './authentication.js';
import { authorisationFaults } from './authorisation.js';
import { bodyFormFaults } from './body-forms.js';
import { cacheFaults } from './cache.js';
import { errorCodeFaults } from './error-codes.js';
import { fieldFaults } from './fields.js';
import { fileFaults } from './files.js';
import { formatFaults } from './formats.js';
import { headerFaultList } from './headers.js';
import { invalidBodyFaults } from './invalid-bodies.js';
import { limitFaults } from './limits.js';
import { methodFaults } from './methods.js';
import { orderFaults } from './order.js';
import { pathFaults } from './paths.js';
import { persistenceFaults } from './persistence.js';
import { relationFaults } from './relations.js';
import { staleAnswerFaults } from './stale-answers.js';
import { statusFaults } from './statuses.js';
import { tenancyFaults } from './tenancy.js';
import { typeFaults } from './types.js';

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
