import { documentOf } from '../../contract/document/index.ts';
import { requestRulesOf } from '../../scripts/generate/request-rules.ts';
import { declared } from '../../scripts/generate/sources.ts';
import { ownApi } from '../../src/api/api-description.ts';
import type { Dependencies } from '../../src/api/app.ts';
import { type AnyOperationHandler } from '../../src/api/operation.ts';
import { openApiDocument } from '../../src/domain/case-import.ts';

type Api = NonNullable<Dependencies['api']>;

interface OtherOperation {
  readonly path: string;
  readonly method?: string;
  /** What the operation has beside its operationId and a response 200 of JSON. */
  readonly described?: object;
  readonly handler: AnyOperationHandler;
}

const text = { type: 'string' };

/** An API of these operations, public if nothing else is described, with its own security schemes and schemas. */
export function otherApi(operations: Readonly<Record<string, OtherOperation>>, schemas: object = {}): Api {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, { path, method = 'get', described }] of Object.entries(operations))
    (paths[path] ??= {})[method] = {
      operationId,
      description: operationId,
      security: [],
      responses: { 200: { description: 'Done.', content: { 'application/json': { schema: {} } } } },
      ...described,
    };
  const { openapi, info, components } = openApiDocument;
  const all = { ...components, schemas: { ...components?.schemas, ...schemas } };
  const document = { openapi, info, components: all, servers: [], paths };
  const { operations: modelled } = documentOf(document);
  const rows = Object.fromEntries(modelled.map((operation) => [operation.operationId, declared(operation)]));
  return {
    version: info.version,
    operations: rows as Api['operations'],
    requestRules: requestRulesOf(document, modelled),
    securitySchemes: ownApi.securitySchemes,
    handlers: Object.fromEntries(Object.entries(operations).map(([id, { handler }]) => [id, handler])),
  };
}

/** The description of a parameter, a string unless a schema is given. */
export function parameter(place: 'path' | 'query' | 'header', name: string, schema: object = text, more: object = {}) {
  return { in: place, name, description: name, required: place === 'path', schema, ...more };
}

/** A handler that responds with what it was given. */
export const echo: AnyOperationHandler = ({ path, query, headers, body, principal }) => ({
  status: 200,
  body: { path, query, headers, body, organisation: principal?.organisationId },
});

/** What came back, whose body may be anything. */
export async function received(
  response: PromiseLike<{ status: number; headers: Record<string, string>; body: unknown }>,
): Promise<{ status: number; headers: Record<string, string>; body: unknown }> {
  return response;
}
