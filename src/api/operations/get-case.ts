import { Refusal } from '../errors.ts';
import type { OperationHandler } from '../operation.ts';

/** Reads a case of the caller's organisation (interface document, section 4.3). UUIDs match in either letter case. */
export const getCase: OperationHandler<'getCase'> = async ({ principal, path }, { store }) => {
  const body = await store.findCaseText(principal.organisationId, path.id.toLowerCase());
  return body ? { status: 200, body } : new Refusal('request.cases.case.not-found');
};
