import { matchOperation } from '../document/index.ts';
import type { ApiDocument, DocumentedResponse, Operation } from '../document/model.ts';

/** The documentation of a response. */
export interface DocumentedPlace {
  /** Absent if the request matches no operation. */
  readonly operation?: Operation;
  /** Its place in the document, such as `getCase.404`, or `service.404` if it belongs to no operation. */
  readonly place: string;
  readonly response: DocumentedResponse;
}

/** Finds the documentation of a response with this status; undefined if there is none. */
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

/** The name of an operation in the ids of checks; `service` for requests that match no operation. */
export function nameOf(operation: Pick<Operation, 'operationId'> | undefined): string {
  return operation?.operationId ?? 'service';
}
