import { type DocumentedOperation, documentedOperations, type ResponseObject } from '../document/document.ts';
import { type ErrorCode, errors } from '../../generated/errors.ts';

/** An answer that the document shows. */
export interface DocumentedExample {
  readonly status: number;
  readonly name: string;
  readonly body: object;
  /** The examples of the answer's headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Every example of every operation, by operationId; those with lower statuses come first. */
export const documentedExamples: ReadonlyMap<string, readonly DocumentedExample[]> = new Map(
  documentedOperations.map((operation) => [operation.operationId, examplesOf(operation)]),
);

function examplesOf({ responses }: DocumentedOperation): DocumentedExample[] {
  return Object.entries(responses).flatMap(([documented, response]) =>
    Object.entries(response.content['application/json']?.examples ?? {}).map(([name, { value }]) => {
      const body = value as object;
      const status = documented === 'default' ? statusOfError(body) : Number(documented);
      return { status, name, body, headers: exampleHeaders(response, status) };
    }),
  );
}

/** An example of a default answer tells its status by its code. */
function statusOfError(body: object): number {
  return errors[(body as { error_code: ErrorCode }).error_code].status;
}

/** `Retry-After` stands with 429 and 503 alone (decision D32), though the default answer declares it for all. */
function exampleHeaders({ headers }: ResponseObject, status: number): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'Retry-After' || status === 429 || status === 503)
      .map(([name, { example }]) => [name, String(example)]),
  );
}
