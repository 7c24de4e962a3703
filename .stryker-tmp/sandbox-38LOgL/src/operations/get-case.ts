// @ts-nocheck
import { describeCase } from '../domain/case.js';
import { Refusal } from '../errors.js';
import type { OperationHandler } from './operation.js';

/** Reads a case of the caller's organisation (interface document, section 4.3). UUIDs match in either letter case. */
export const getCase: OperationHandler<'getCase'> = async ({ principal, pathParameters }, store) => {
  const found = await store.findCase(principal.organisationId, pathParameters.id.toLowerCase());
  return found ? { status: 200, body: describeCase(found) } : new Refusal('request.cases.case.not-found');
};
