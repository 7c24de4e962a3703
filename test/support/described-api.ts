/** Documents of APIs, written in short: a row for each operation, and schemas. */
import { type ApiDocument } from '../../contract/document/index.ts';
import { isObject } from '../../contract/oracle/json.ts';
import { apiOf } from '../unit/document/fixture.ts';

/**
 * An operation: what it has in a document, but for `sent`, the schema of its body, and its responses. Each of them is by its status the
 * schema of its body, or, in words, what has no body.
 */
type Described = readonly [
  operationId: string,
  operation: { readonly sent?: object; readonly [name: string]: unknown },
];

interface Shared {
  readonly title?: string;
  /** The schemas of parameters in paths, by name; texts unless they are here. */
  readonly ids?: Readonly<Record<string, object>>;
  /** The status of what is invalid. */
  readonly invalid?: number;
  readonly mediaType?: string;
  readonly securitySchemes?: object;
}

/** @param operations by method and path, as in `GET /books` */
export function describedApi(operations: Readonly<Record<string, Described>>, shared: Shared = {}): ApiDocument {
  const { title, ids = {}, invalid = 422, mediaType = 'application/json', securitySchemes } = shared;
  const paths: Record<string, Record<string, object>> = {};
  const content = (schema: object) => ({ [mediaType]: { schema } });
  for (const [called, [operationId, { sent, parameters = [], ...given }]] of Object.entries(operations)) {
    const [method = '', path = ''] = called.split(' ');
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    const inPath = names.map((name) => ({ name, in: 'path', required: true, schema: ids[name] ?? { type: 'string' } }));
    const more = Object.entries(given).filter(([name]) => !/^\d/.test(name));
    const all: Record<string, unknown> = {
      [invalid]: 'Invalid',
      ...(names.length > 0 && { 404: 'There is none' }),
      ...given,
    };
    const responses = Object.entries(all).flatMap(([status, response]): [status: string, response: object][] => {
      if (!/^\d/.test(status) || response === undefined) return [];
      if (typeof response === 'string') return [[status, { description: response }]];
      const isWhole = isObject(response) && 'description' in response && 'content' in response;
      return [[status, isWhole ? response : { description: 'It', content: content(response as object) }]];
    });
    (paths[path] ??= {})[method.toLowerCase()] = {
      operationId,
      parameters: [...inPath, ...(parameters as object[])],
      ...(sent && { requestBody: { required: true, content: content(sent) } }),
      ...Object.fromEntries(more),
      responses: Object.fromEntries(responses) as object,
    };
  }
  return apiOf(paths, {
    ...(title !== undefined && { title }),
    ...(securitySchemes && { components: { securitySchemes } }),
  });
}
