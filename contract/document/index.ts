import type { ApiDocument, Header, HttpMethod, MediaType, Operation, Parameter, Schema, Server } from './model.ts';
import { httpMethods } from './model.ts';

export type * from './model.ts';
export { httpMethods } from './model.ts';

type Raw = any; // interim

function dereference(node: Raw, root: Raw): Raw {
  if (Array.isArray(node)) return node.map((each) => dereference(each, root));
  if (typeof node !== 'object' || node === null) return node;
  if (typeof node.$ref === 'string')
    return dereference(node.$ref.slice(2).split('/').reduce((at: Raw, key: string) => at[key], root), root);
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, dereference(value, root)]));
}

function contentOf(content: Raw = {}): Record<string, MediaType> {
  return Object.fromEntries(
    Object.entries(content).map(([type, media]: [string, Raw]) => [
      type,
      { schema: media.schema ?? {}, examples: media.examples ?? (media.example === undefined ? {} : { example: { value: media.example } }) },
    ]),
  );
}

function responsesOf(responses: Raw = {}) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]: [string, Raw]) => [
      status,
      {
        description: response.description ?? '',
        headers: Object.fromEntries(
          Object.entries(response.headers ?? {}).map(([name, header]: [string, Raw]): [string, Header] => [
            name,
            { ...header, required: header.required === true, schema: header.schema ?? {} },
          ]),
        ),
        content: contentOf(response.content),
      },
    ]),
  );
}

export function documentOf(bundled: object): ApiDocument {
  const raw = dereference(bundled, bundled) as Raw;
  const operations = Object.entries(raw.paths).flatMap(([path, item]: [string, Raw]) =>
    httpMethods.flatMap((method: HttpMethod): Operation[] => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(
        (parameter: Raw): Parameter => ({
          description: '',
          explode: parameter.in === 'query',
          style: parameter.in === 'query' ? 'form' : 'simple',
          ...parameter,
          required: parameter.required === true,
          schema: (parameter.schema ?? {}) as Schema,
        }),
      );
      const { requestBody } = operation;
      const kib = /(\d+) KiB/.exec(operation.responses['413']?.description ?? '')?.[1];
      return [
        {
          operationId: operation.operationId,
          method,
          path,
          summary: operation.summary ?? '',
          description: operation.description ?? '',
          parameters,
          requestBody: requestBody && {
            description: requestBody.description ?? '',
            required: requestBody.required === true,
            content: contentOf(requestBody.content),
            maxBytes: requestBody['x-max-body-bytes'] ?? (kib === undefined ? 16384 : Number(kib) * 1024),
          },
          responses: responsesOf(operation.responses),
          security: (operation.security ?? raw.security ?? []).map((requirement: object) => Object.keys(requirement)),
          requiredPermission: operation['x-required-permission'] ?? null,
          requiredFeature: operation['x-required-feature'] ?? null,
          servers: item.servers as readonly Server[] | undefined,
          codeSamples: operation['x-codeSamples'] ?? [],
        },
      ];
    }),
  );
  return {
    title: raw.info.title,
    version: raw.info.version,
    description: raw.info.description ?? '',
    servers: raw.servers ?? [],
    operations,
    securitySchemes: raw.components?.securitySchemes ?? {},
    schemas: raw.components?.schemas ?? {},
    headers: raw.components?.headers ?? {},
    serviceResponses: responsesOf(raw['x-service-responses']),
  };
}

export function operationsOfPath(document: ApiDocument, path: string): Operation[] {
  const pathOnly = path.replace(/\?.*/s, '');
  const templates = [...new Set(document.operations.map((operation) => operation.path))];
  const template = templates.find((each) => new RegExp(`^${each.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(pathOnly));
  return document.operations.filter((operation) => operation.path === template);
}
