import { Refusal } from '../errors.ts';
import type { OperationHandler } from '../operation.ts';

const caseIdOf = ({ id }: { readonly id: string }) => id.toLowerCase();

/** Reads a case of the caller's organisation (interface document, section 4.3). UUIDs match in either letter case. */
export const getCase: OperationHandler<'getCase'> = async ({ principal, path }, { store }) => {
  const body = await store.findCaseText(principal.organisationId, caseIdOf(path), principal.prefetched);
  return body ? { status: 200, body } : new Refusal('request.cases.case.not-found');
};
getCase.caseIdOf = caseIdOf;
