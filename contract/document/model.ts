/** The model of an OpenAPI document. The generators, the documentation, the suite, the mock and the proxy read only this. */

/** The methods that OpenAPI has operations for, in its order. */
export const httpMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export type HttpMethod = (typeof httpMethods)[number];

/** A JSON Schema in the form of OpenAPI 3.0; loading converts documents of OpenAPI 3.1 to this form. */
export interface Schema {
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: unknown[];
  'x-extensible-enum'?: string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  default?: unknown;
  example?: unknown;
  [keyword: string]: unknown;
}

export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

export interface MediaType {
  readonly schema: Schema;
  /** By name. A single `example` is stored under the name `example`. */
  readonly examples: Readonly<Record<string, Example>>;
  /** `encoding`: the media types that a multipart body's parts have, by field. */
  readonly partTypes: Readonly<Record<string, string>>;
  /** `encoding`: how fields of a URL-encoded body are written in another way than usual, by field; absent if none is. */
  readonly styles?: Readonly<Record<string, Serialisation>>;
}

export interface Header {
  readonly description?: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** The serialisation of a parameter. */
export type ParameterStyle = 'simple' | 'form' | 'label' | 'matrix' | 'deepObject' | 'pipeDelimited' | 'spaceDelimited';

export interface Serialisation {
  readonly style: ParameterStyle;
  /** Whether each item of an array is a parameter of its own, as in `?state=a&state=b`. */
  readonly explode: boolean;
}

/** The default styles of parameters, which are the only ones that the generators support. */
export const parameterStyles = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' } as const;

export type ParameterLocation = keyof typeof parameterStyles;

/** By default, path and header parameters are `simple`, query and cookie parameters `form`. */
export interface Parameter extends Serialisation {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
  /** Whether the example identifies what the suite has created. */
  readonly isCreated?: true;
  /** A valid value given by the tester, sent even if the parameter is optional. */
  readonly value?: unknown;
}

export interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  /** By media type. */
  readonly content: Readonly<Record<string, MediaType>>;
  /** The maximum size in bytes, from `x-max-body-bytes`; infinite if it is absent. */
  readonly maxBytes: number;
}

/** What to call after a response, and with which values of the exchange. */
export interface Link {
  readonly operationId?: string;
  /** As in `#/paths/~1books~1{id}/get`. */
  readonly operationRef?: string;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header>>;
  /** By media type; empty if the response has no body. */
  readonly content: Readonly<Record<string, MediaType>>;
  /** By name; absent if there are none. */
  readonly links?: Readonly<Record<string, Link>>;
}

export type SecurityScheme =
  | {
      readonly type: 'apiKey';
      readonly in: 'header' | 'query' | 'cookie';
      readonly name: string;
      readonly description: string;
    }
  | { readonly type: 'http'; readonly scheme: 'bearer' | 'basic'; readonly description: string };

export interface Server {
  readonly url: string;
  readonly description: string;
  readonly region: string | undefined;
}

export interface Operation {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** The path template, as in `/cases/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Those of the operation, and those of the path that it does not override. */
  readonly parameters: readonly Parameter[];
  readonly requestBody: RequestBody | undefined;
  /** By status, with `default` and ranges such as `5XX`. */
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  /** Alternatives of schemes that are required together. If there are none, or one is empty, no credential is required. */
  readonly security: readonly (readonly string[])[];
  /** The scopes that any of the alternatives names. */
  readonly scopes: readonly string[];
  /** `x-required-permission`; null if none is required. */
  readonly requiredPermission: string | null;
  /** `x-required-feature`; null if none is required. */
  readonly requiredFeature: string | null;
  /** Base addresses of the path; undefined if it uses those of the document. */
  readonly servers: readonly Server[] | undefined;
  readonly codeSamples: readonly { readonly lang: string; readonly source: string }[];
}

/** The status and the message of an error code. */
export interface DocumentedError {
  readonly status: number;
  readonly message: string;
}

/** A document with all references resolved. */
export interface ApiDocument {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly servers: readonly Server[];
  readonly operations: readonly Operation[];
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly headers: Readonly<Record<string, Header>>;
  /** `x-service-responses`: the responses to requests that match no operation, by status. */
  readonly serviceResponses: Readonly<Record<string, DocumentedResponse>>;
  /** By error code: those of the examples, and those of `x-error-codes`, which no described response has. */
  readonly errors: Readonly<Record<string, DocumentedError>>;
  /** What the document has and the model has not. */
  readonly warnings?: readonly string[];
}
