// @ts-nocheck
import { OpenAPIBackend } from 'openapi-backend';
import { closedSchema, type JsonSchema } from './closed-schema.js';

/** One answer that the document says an operation can give. */
export interface DocumentedAnswer {
  /** As in `getCase 404`. */
  readonly label: string;
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** A status code, or `default`. */
  readonly status: string;
  readonly bodySchema: JsonSchema;
  /** Of an object that holds the headers by their names in lower case. */
  readonly headersSchema: JsonSchema & { readonly required: string[] };
  /** The bodies of the named examples. */
  readonly examples: Readonly<Record<string, unknown>>;
}

interface ResponseObject {
  readonly headers?: Record<string, { readonly required?: boolean; readonly schema: JsonSchema }>;
  readonly content: {
    readonly 'application/json': {
      readonly schema: JsonSchema;
      readonly examples?: Record<string, { readonly value: unknown }>;
    };
  };
}

interface OperationObject {
  readonly operationId: string;
  readonly responses: Record<string, ResponseObject>;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Reads an OpenAPI document and lists every answer of every operation. */
export async function readDocumentedAnswers(documentPath: string): Promise<DocumentedAnswer[]> {
  const { definition } = await new OpenAPIBackend({ definition: documentPath, strict: true, validate: false }).init();
  return Object.entries(definition.paths as Record<string, Record<string, OperationObject>>).flatMap(
    ([path, pathItem]) =>
      Object.entries(pathItem)
        .filter(([key]) => methods.includes(key))
        .flatMap(([method, { operationId, responses }]) =>
          Object.entries(responses).map(([status, { headers = {}, content }]) => {
            const { schema, examples = {} } = content['application/json'];
            return {
              label: `${operationId} ${status}`,
              operationId,
              method: method.toUpperCase(),
              path,
              status,
              bodySchema: closedSchema(schema),
              headersSchema: headersSchema(Object.entries(headers)),
              examples: Object.fromEntries(Object.entries(examples).map(([name, { value }]) => [name, value])),
            };
          }),
        ),
  );
}

function headersSchema(
  headers: [string, { readonly required?: boolean; readonly schema: JsonSchema }][],
): DocumentedAnswer['headersSchema'] {
  return {
    type: 'object',
    required: headers.filter(([, { required }]) => required).map(([name]) => name.toLowerCase()),
    properties: Object.fromEntries(headers.map(([name, { schema }]) => [name.toLowerCase(), schema])),
  };
}
