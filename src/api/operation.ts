/**
 * The types of an operation's handler, derived from the document: a missing, superfluous or wrongly typed handler does
 * not compile.
 */
import type { Readable } from 'node:stream';
import type { OperationId, operations as table } from '../../generated/operations.ts';
import type { operations, Readable as InResponse, Writable as InRequest } from '../../generated/types.ts';
import type { Principal } from '../domain/principal.ts';
import type { Region } from '../domain/region.ts';
import type { ContentStore } from '../files/content-store.ts';
import type { JsonText } from '../store/case-texts/json-text.ts';
import type { ApiStore } from '../store/store.ts';
import type { Refusal } from './errors.ts';

type JsonMediaType = 'application/json' | `application/${string}+json`;

type ParametersOf<
  Id extends OperationId,
  Place extends 'path' | 'query' | 'header',
> = operations[Id]['parameters'] extends { [P in Place]?: infer Values }
  ? [NonNullable<Values>] extends [never]
    ? Record<string, never>
    : WithDefaults<NonNullable<Values>, Extract<Parameters<Id>, { name: string; hasDefault: true }>['name']>
  : never;

type Parameters<Id extends OperationId> = (typeof table)[Id]['parameters'][number];

/** A parameter with a default always has a value. */
type WithDefaults<Values, Defaulted> = {
  readonly [Name in keyof Values as Name extends Defaulted ? Name : never]-?: Exclude<Values[Name], undefined>;
} & { readonly [Name in keyof Values as Name extends Defaulted ? never : Name]: Values[Name] };

type RequestContent<Body> = Body extends { content: infer Content }
  ? { [Type in keyof Content]: Type extends JsonMediaType ? InRequest<Content[Type]> : Uint8Array }[keyof Content]
  : never;

type RequestBody<Id extends OperationId> = operations[Id] extends { requestBody: infer Body }
  ? RequestContent<Body>
  : operations[Id] extends { requestBody?: infer Body }
    ? RequestContent<NonNullable<Body>> | undefined
    : undefined;

type Responses<Id extends OperationId> = operations[Id]['responses'];

/** The server sets these itself. */
type ServerHeader = 'X-Request-Id' | 'RateLimit' | 'RateLimit-Policy';

interface RepresentationHeaders {
  /** Required if the document declares a media range or several media types. */
  readonly 'Content-Type'?: string | undefined;
  /** The length of a stream, if known. */
  readonly 'Content-Length'?: number | undefined;
}

type SetByServer<Name, Value> = Name extends ServerHeader
  ? true
  : [Name, Value] extends ['Cache-Control', 'no-store']
    ? true
    : false;

type OwnHeaders<Headers> = {
  readonly [
    Name in keyof Headers as string extends Name ? never : SetByServer<Name, Headers[Name]> extends true ? never : Name
  ]: Headers[Name];
} & RepresentationHeaders;

type HeadersOf<Response> = Response extends { headers: infer Headers }
  ? RepresentationHeaders extends OwnHeaders<Headers>
    ? { readonly headers?: OwnHeaders<Headers> }
    : { readonly headers: OwnHeaders<Headers> }
  : never;

type BodyOf<Response> = Response extends { content: infer Content }
  ? {
      readonly body: {
        [Type in keyof Content]: Type extends JsonMediaType
          ? InResponse<Content[Type]> | JsonText<InResponse<Content[Type]>>
          : string | Uint8Array | Readable;
      }[keyof Content];
    }
  : { readonly body?: undefined };

/** What the operation `Id` is given: validated input and, unless it is public, who asks. */
export type OperationRequest<Id extends OperationId> = {
  readonly path: ParametersOf<Id, 'path'>;
  /** The documented parameters alone, with their defaults. */
  readonly query: ParametersOf<Id, 'query'>;
  /** The documented parameters alone, by their documented names. */
  readonly headers: ParametersOf<Id, 'header'>;
  readonly body: RequestBody<Id>;
  readonly requestId: string;
  readonly now: Date;
} & ((typeof table)[Id]['security'] extends readonly [] ? unknown : { readonly principal: Principal });

/** What is available to every operation. */
export interface OperationContext {
  /** Only what is asked for with the principal's organisation is theirs. It writes only as long as they may call this. */
  readonly store: ApiStore;
  readonly region: Region;
  /** The version of the API's document. */
  readonly version: string;
  /** The content of files. Absent if the server was started without their folder. */
  readonly files?: ContentStore | undefined;
}

/** A documented success or redirection of the operation `Id`: its status, with the headers and body that belong to it. */
export type OperationResponse<Id extends OperationId> = {
  [Status in keyof Responses<Id> & number]: `${Status}` extends `${2 | 3}${string}`
    ? { readonly status: Status } & HeadersOf<Responses<Id>[Status]> & BodyOf<Responses<Id>[Status]>
    : never;
}[keyof Responses<Id> & number];

type Awaitable<T> = T | Promise<T>;

/** An operation: it knows the store, but nothing of Express. */
export interface OperationHandler<Id extends OperationId> {
  (request: OperationRequest<Id>, context: OperationContext): Awaitable<OperationResponse<Id> | Refusal>;
  /** The case that it reads, so that the store can read its state along with the caller's credential. */
  caseIdOf?: (path: ParametersOf<Id, 'path'>) => string;
}

export type OperationHandlers = { readonly [Id in OperationId]: OperationHandler<Id> };

/** A request, response and handler whose types depend on the matched operation. */
export interface AnyOperationRequest {
  readonly path: object;
  readonly query: object;
  readonly headers: object;
  readonly body: unknown;
  readonly principal: Principal | undefined;
  readonly requestId: string;
  readonly now: Date;
}

export interface AnyOperationResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

export interface AnyOperationHandler {
  (request: AnyOperationRequest, context: OperationContext): Awaitable<AnyOperationResponse | Refusal>;
  caseIdOf?: (path: object) => string;
}
