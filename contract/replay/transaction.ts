import type { Transaction } from 'hooks';
import type { DocumentedAnswer } from './documented-answers.ts';
import type { JsonSchema } from './json-schema.ts';

/** Finds the answer that a transaction stands for. Dredd compiles `default` to a second transaction with status 200. */
export function findAnswer(
  { request, origin, expected }: Transaction,
  unclaimed: Iterable<DocumentedAnswer>,
): DocumentedAnswer | undefined {
  const ofOperation = [...unclaimed].filter(
    ({ method, path }) => method === request.method && path === origin.resourceName,
  );
  return (
    ofOperation.find(({ status }) => status === expected.statusCode) ??
    ofOperation.find(({ status }) => status === 'default' && expected.statusCode === '200')
  );
}

/**
 * Makes the transaction expect what the document says: of the headers those that are required, and the body by its schema,
 * if there is one, instead of Dredd's example.
 */
export function expectDocumented(
  { expected }: Transaction,
  { requiredHeaders, status }: DocumentedAnswer,
  defaultStatus: number | undefined,
  bodySchema: JsonSchema | undefined,
): void {
  const names = ['content-type', ...requiredHeaders];
  expected.statusCode = String(defaultStatus ?? status);
  expected.headers = Object.fromEntries(
    Object.entries(expected.headers).filter(([name]) => names.includes(name.toLowerCase())),
  );
  if (bodySchema) {
    expected.bodySchema = bodySchema;
    delete expected.body;
  } else if (expected.body !== undefined) expected.body = withoutMetadata(expected.body);
}

/** Dredd takes the fields of an example's free-form metadata for fields that must be there. */
function withoutMetadata(body: string): string {
  const example = JSON.parse(body) as object;
  return JSON.stringify('metadata' in example ? { ...example, metadata: {} } : example);
}
