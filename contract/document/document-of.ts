/** Makes the model from a document whose references are resolved. */
import {
  type ApiDocument,
  type DocumentedError,
  type DocumentedResponse,
  type Example,
  type Header,
  type HttpMethod,
  httpMethods,
  type MediaType,
  type Operation,
  type Parameter,
  parameterStyles,
  type ParameterStyle,
  type RequestBody,
  type Schema,
  type SecurityScheme,
  type Serialisation,
  type Server,
} from './model.ts';
import type {
  RawDocument,
  RawHeader,
  RawMediaType,
  RawOperation,
  RawParameter,
  RawPathItem,
  RawRequestBody,
  RawResponse,
  RawSecurityScheme,
  RawServer,
} from './raw.ts';
import { dereference } from './references.ts';
import { mapValues, type OneWay, schemaForm, withoutOneWayFields } from './schemas.ts';

type Named<Value> = Record<string, Value>;

/** The model of a bundled document without faults. All of its references are local, such as `#/components/schemas/Case`. */
export function documentOf(bundled: object): ApiDocument {
  return modelOf(dereference(bundled) as RawDocument);
}

/** The model of a document whose references are resolved. */
export function modelOf(raw: RawDocument): ApiDocument {
  const parts = messageParts(raw.openapi.startsWith('3.0') ? (schema) => schema : schemaForm());
  const places = Object.entries(raw.paths ?? {}).flatMap(([path, item]) =>
    httpMethods.flatMap((method) =>
      item[method] ? [{ raw, parts, path, method, item, operation: item[method] }] : [],
    ),
  );
  const unique = uniqueNames(places.flatMap(({ operation }) => (operation as Partial<RawOperation>).operationId ?? []));
  const operations = places.map((place) => operationOf(place, unique));
  const serviceResponses = parts.responses(raw['x-service-responses']);
  return {
    title: raw.info.title,
    version: raw.info.version,
    description: raw.info.description ?? '',
    servers: (raw.servers ?? []).map(serverOf),
    operations,
    securitySchemes: securitySchemesOf(raw),
    schemas: mapValues(raw.components?.schemas, parts.schemaOf),
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
    operationId: (operation as Partial<RawOperation>).operationId ?? unique(suggestedId(method, path)),
    method,
    path,
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    tags: operation.tags ?? [],
    parameters: parametersOf(item, operation)
      // OpenAPI ignores header parameters of these names: other parts of a document describe them.
      .filter(({ in: where, name }) => where !== 'header' || !/^(accept|content-type|authorization)$/i.test(name))
      .map(parts.parameter),
    requestBody: operation.requestBody && parts.requestBody(operation.requestBody),
    responses: parts.responses(operation.responses),
    security: (operation.security ?? raw.security ?? []).map((requirement) => Object.keys(requirement)),
    scopes: (operation.security ?? raw.security ?? []).flatMap((requirement) => Object.values(requirement).flat()),
    requiredPermission: operation['x-required-permission'] ?? null,
    requiredFeature: operation['x-required-feature'] ?? null,
    servers: servers?.map(serverOf),
    codeSamples: operation['x-codeSamples'] ?? [],
  };
}

/** Suggests an operationId in camel case, such as `getCasesFiles`. */
function suggestedId(method: string, path: string): string {
  const words = path.replaceAll(/\{[^}]*\}/g, '').match(/[A-Za-z0-9]+/g) ?? [];
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Makes names unique by appending a number to repeated ones. */
function uniqueNames(taken: Iterable<string>): (name: string) => string {
  const names = new Set(taken);
  return (name) => {
    let unique = name;
    for (let number = 2; names.has(unique); number += 1) unique = `${name}${number}`;
    names.add(unique);
    return unique;
  };
}

/** The parameters of the path and of the operation; those of the operation override those of the path. */
export function parametersOf(item: RawPathItem, operation: RawOperation): RawParameter[] {
  const all = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
  return [...new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
}

function serverOf({ url, description = '', 'x-region': region }: RawServer): Server {
  return { url, description, region };
}

function securitySchemesOf({ components }: RawDocument): Named<SecurityScheme> {
  const schemes = Object.entries(mapValues(components?.securitySchemes, securitySchemeOf));
  return Object.fromEntries(schemes.flatMap(([name, supported]) => (supported ? [[name, supported]] : [])));
}

/** The tokens of OAuth 2 and OpenID Connect are bearer tokens (RFC 6750). */
function securitySchemeOf(raw: RawSecurityScheme): SecurityScheme | undefined {
  const { type, in: where, name, description = '' } = raw;
  if (type === 'apiKey')
    return name !== undefined && (where === 'header' || where === 'query' || where === 'cookie')
      ? { type, in: where, name, description }
      : undefined;
  const scheme = type === 'http' ? raw.scheme?.toLowerCase() : 'bearer';
  const isSupported = ['http', 'oauth2', 'openIdConnect'].includes(type) && (scheme === 'bearer' || scheme === 'basic');
  return isSupported ? { type: 'http', scheme, description } : undefined;
}

type MessageParts = ReturnType<typeof messageParts>;

/** Makes the parts of requests and responses of one document, converting its schemas to one form. */
function messageParts(schemaOf: (schema: Schema) => Schema) {
  const header = ({ description, required = false, schema = {}, example, examples = {} }: RawHeader): Header => {
    const value = example ?? Object.values(examples)[0]?.value;
    return {
      ...(description !== undefined && { description }),
      required,
      schema: schemaOf(schema),
      ...(value !== undefined && { example: value }),
    };
  };
  const headers = (named?: Named<RawHeader>) => mapValues(named, header);
  const content = (named: Named<RawMediaType> | undefined, otherWay: OneWay): Named<MediaType> =>
    mapValues(named, ({ schema = {}, example, examples, encoding }) => ({
      schema: withoutOneWayFields(schemaOf(schema), otherWay),
      examples: mapValues(
        examples ?? (example === undefined ? {} : { example: { value: example } }),
        ({ summary, value }): Example => ({ ...(summary !== undefined && { summary }), value }),
      ),
      partTypes: partTypesOf(encoding),
      ...stylesOf(encoding),
    }));

  return {
    schemaOf,
    headers,
    parameter: (parameter: RawParameter): Parameter => {
      const style = (parameter.style ?? parameterStyles[parameter.in]) as ParameterStyle;
      const described = header(parameter);
      return {
        name: parameter.name,
        in: parameter.in,
        style,
        explode: parameter.explode ?? style === 'form',
        // A parameter that is described by content accepts any value, and none can be generated.
        ...(parameter.content === undefined ? described : { required: described.required, schema: {} }),
        description: parameter.description ?? '',
      };
    },
    requestBody: (body: RawRequestBody): RequestBody => ({
      description: body.description ?? '',
      required: body.required ?? false,
      content: content(body.content, 'readOnly'),
      maxBytes: body['x-max-body-bytes'] ?? Number.POSITIVE_INFINITY,
    }),
    responses: (named?: Named<RawResponse>): Named<DocumentedResponse> =>
      mapValues(named, ({ description = '', headers: all = {}, content: media, links }) => {
        // OpenAPI ignores a header of this name, because `content` describes it.
        const described = Object.entries(all).filter(([name]) => !/^content-type$/i.test(name));
        return {
          description,
          headers: headers(Object.fromEntries(described)),
          content: content(media, 'writeOnly'),
          ...(links && { links }),
        };
      }),
  };
}

/** Of several media types, the first that is no range. */
function partTypesOf(encoding: RawMediaType['encoding'] = {}): Named<string> {
  return Object.fromEntries(
    Object.entries(encoding).flatMap(([field, { contentType = '' }]) => {
      const type = contentType.split(/[ \t]*,[ \t]*/).find((each) => /^[^*]+$/.test(each));
      return type === undefined ? [] : [[field, type]];
    }),
  );
}

/** OpenAPI 3.0.4, section 4.8.15. */
function stylesOf(encoding: RawMediaType['encoding'] = {}): Pick<MediaType, 'styles'> {
  const styled = Object.entries(encoding).filter(([, { style, explode }]) => (style ?? explode) !== undefined);
  const styles = styled.map(([field, { style = 'form', explode = style === 'form' }]) => [
    field,
    { style: style as ParameterStyle, explode },
  ]);
  return styled.length === 0 ? {} : { styles: Object.fromEntries(styles) as Named<Serialisation> };
}

/** The errors of a document: those in its examples, and those in `x-error-codes`. */
function errorsOf(
  listed: RawDocument['x-error-codes'] = {},
  responses: readonly Named<DocumentedResponse>[],
): Named<DocumentedError> {
  const shown = responses.flatMap(Object.entries<DocumentedResponse>).flatMap(([status, { content }]) => {
    const examples = Object.values(content).flatMap((media) => Object.values(media.examples));
    return examples.map((example) => errorOf(status, example)).filter((error) => error !== undefined);
  });
  const apart = mapValues(listed, ({ status, error_message: message }) => ({ status, message }));
  const sorted = [...Object.entries(apart), ...shown].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted);
}

/** The error in the example of a response; undefined if the example is not an error. */
export function errorOf(status: string, example: Example): readonly [string, DocumentedError] | undefined {
  const { error_code: code, error_message: message } = (example.value ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return [code, { status: Number(status), message }];
}
