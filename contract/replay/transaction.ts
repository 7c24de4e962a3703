import type { Transaction } from 'hooks';
import type { ReplayCase } from '../plan/provoked.ts';
import type { JsonSchema } from '../document/schemas.ts';

/** Finds the documented response of a transaction. */
export function findReplayCase(
  { request, origin, expected }: Transaction,
  unclaimed: Iterable<ReplayCase>,
): ReplayCase | undefined {
  const ofOperation = [...unclaimed].filter(
    ({ operation: { method, path } }) => method.toUpperCase() === request.method && path === origin.resourceName,
  );
  const mediaType = mediaTypeOf(expected.headers);
  const documents = ({ operation, status }: ReplayCase) =>
    mediaType === undefined || Object.keys(operation.responses[status]?.content ?? {}).includes(mediaType);
  return ofOperation.find((replayCase) => replayCase.status === expected.statusCode && documents(replayCase));
}

function mediaTypeOf(headers: Transaction['expected']['headers']): string | undefined {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return value?.replace(/;.*/, '').trim();
}

/**
 * Makes the transaction expect the documented response: the required headers, and a body that matches the schema, if
 * there is one, instead of Dredd's example.
 */
export function expectDocumented(
  { expected }: Transaction,
  { requiredHeaders, status, bodySchema: documentedSchema }: ReplayCase,
  bodySchema: JsonSchema | undefined,
): void {
  const names = [...(documentedSchema ? ['content-type'] : []), ...requiredHeaders];
  expected.statusCode = status;
  expected.headers = Object.fromEntries(
    Object.entries(expected.headers).filter(([name]) => names.includes(name.toLowerCase())),
  );
  if (!documentedSchema) {
    delete expected.body;
    delete expected.bodySchema;
  } else if (bodySchema) {
    expected.bodySchema = bodySchema;
    delete expected.body;
  } else if (expected.body !== undefined) expected.body = withoutMetadata(expected.body);
}

/** Dredd requires the fields of an example's free-form metadata in the response, so removes them from the example. */
function withoutMetadata(body: string): string {
  const example = JSON.parse(body) as object;
  return JSON.stringify('metadata' in example ? { ...example, metadata: {} } : example);
}
