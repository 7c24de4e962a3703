import { matchOperation } from '../document/index.ts';
import type { ApiDocument, DocumentedResponse, Operation } from '../document/model.ts';

/** What the document says of a response to a request. */
export interface DocumentedPlace {
  /** Absent if the request calls no operation. */
  readonly operation?: Operation;
  /** Where it stands in the document, as in `getCase.404`, or `service.404` if it belongs to no operation. */
  readonly place: string;
  readonly response: DocumentedResponse;
}

/** Where the document describes a response of this status; undefined if it does not. */
export function documentedPlace(
  document: ApiDocument,
  method: string,
  path: string,
  status: number,
): DocumentedPlace | undefined {
  const operation = matchOperation(document, method, path);
  const service = document.serviceResponses;
  const responses = operation?.responses ?? service;
  const range = `${Math.floor(status / 100)}XX`;
  const key = [String(status), range, 'default'].find((each) => responses[each]);
  const found = key === undefined ? undefined : responses[key];
  const beforeOperation = status === 431 || status === 408 ? service[String(status)] : undefined;
  if (beforeOperation && (!operation || !responses[String(status)]))
    return { place: `service.${status}`, response: beforeOperation };
  if (!found || key === undefined) return undefined;
  return { ...(operation && { operation }), place: `${nameOf(operation)}.${key}`, response: found };
}

/** The name of an operation in the ids of checks; `service` stands for requests that call none. */
export function nameOf(operation: Pick<Operation, 'operationId'> | undefined): string {
  return operation?.operationId ?? 'service';
}
