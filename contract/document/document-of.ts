import { errorsOf } from './documented-errors.ts';
import { MessageParts } from './message-parts.ts';
import {
  type ApiDocument,
  type HttpMethod,
  httpMethods,
  type Operation,
  type SecurityScheme,
  type Server,
} from './model.ts';
import { suggestedId, uniqueNames } from './operation-ids.ts';
import type { RawDocument, RawOperation, RawParameter, RawPathItem, RawSecurityScheme, RawServer } from './raw.ts';
import { dereference } from './references.ts';
import { schemaForm } from './schema-form.ts';

/**
 * The model of a bundled document without faults. All of its references are local, such as `#/components/schemas/Case`.
 */
export function documentOf(bundled: object): ApiDocument {
  return modelOf(dereference(bundled) as RawDocument);
}

/** The model of a document whose references are resolved. */
export function modelOf(raw: RawDocument): ApiDocument {
  const parts = new MessageParts(raw.openapi.startsWith('3.0') ? (schema) => schema : schemaForm());
  const places = Object.entries(raw.paths ?? {}).flatMap(([path, item]) =>
    httpMethods.flatMap((method) =>
      item[method] ? [{ raw, parts, path, method, item, operation: item[method] }] : [],
    ),
  );
  const unique = uniqueNames(places.flatMap(({ operation }) => givenId(operation) ?? []));
  const operations = places.map((place) => operationOf(place, unique));
  const serviceResponses = parts.responses(raw['x-service-responses']);
  return {
    title: raw.info.title,
    version: raw.info.version,
    description: raw.info.description ?? '',
    servers: (raw.servers ?? []).map(serverOf),
    operations,
    securitySchemes: securitySchemesOf(raw),
    schemas: mapValues(raw.components?.schemas, (schema) => parts.schema(schema)),
    headers: parts.headers(raw.components?.headers),
    serviceResponses,
    errors: errorsOf(raw['x-error-codes'], [...operations.map(({ responses }) => responses), serviceResponses]),
  };
}

interface Place {
  readonly raw: RawDocument;
  readonly parts: MessageParts;
  readonly path: string;
  readonly method: HttpMethod;
  readonly item: RawPathItem;
  readonly operation: RawOperation;
}

function operationOf(
  { raw, parts, path, method, item, operation }: Place,
  unique: (name: string) => string,
): Operation {
  const servers = operation.servers ?? item.servers;
  return {
    operationId: givenId(operation) ?? unique(suggestedId(method, path)),
    method,
    path,
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    tags: operation.tags ?? [],
    parameters: parametersOf(item, operation)
      .filter((parameter) => !isIgnored(parameter))
      .map((parameter) => parts.parameter(parameter)),
    requestBody: operation.requestBody && parts.requestBody(operation.requestBody),
    responses: parts.responses(operation.responses),
    security: (operation.security ?? raw.security ?? []).map((requirement) => Object.keys(requirement)),
    requiredPermission: operation['x-required-permission'] ?? null,
    requiredFeature: operation['x-required-feature'] ?? null,
    servers: servers?.map(serverOf),
    codeSamples: operation['x-codeSamples'] ?? [],
  };
}

/** The parameters of the path and of the operation; those of the operation override those of the path. */
export function parametersOf(item: RawPathItem, operation: RawOperation): RawParameter[] {
  const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  return [...new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}

/** OpenAPI ignores header parameters of these names: other parts of a document describe them. */
function isIgnored({ in: where, name }: RawParameter): boolean {
  return where === 'header' && /^(accept|content-type|authorization)$/i.test(name);
}

function serverOf({ url, description = '', 'x-region': region }: RawServer): Server {
  return { url, description, region };
}

/** The operationId, which other documents may omit. */
function givenId({ operationId }: Partial<RawOperation>): string | undefined {
  return operationId;
}

function securitySchemesOf({ components }: RawDocument): Record<string, SecurityScheme> {
  const supported: Record<string, SecurityScheme> = {};
  for (const [name, scheme] of Object.entries(components?.securitySchemes ?? {})) {
    const known = securitySchemeOf(scheme);
    if (known) supported[name] = known;
  }
  return supported;
}

/** The tokens of OAuth 2 and OpenID Connect are bearer tokens (RFC 6750). */
function securitySchemeOf({
  type,
  in: where,
  name,
  scheme,
  description = '',
}: RawSecurityScheme): SecurityScheme | undefined {
  if (type === 'apiKey')
    return name !== undefined && (where === 'header' || where === 'query' || where === 'cookie')
      ? { type, in: where, name, description }
      : undefined;
  const known = type === 'http' ? scheme?.toLowerCase() : 'bearer';
  if (!['http', 'oauth2', 'openIdConnect'].includes(type) || (known !== 'bearer' && known !== 'basic'))
    return undefined;
  return { type: 'http', scheme: known, description };
}

function mapValues<From, To>(record: Record<string, From> = {}, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
