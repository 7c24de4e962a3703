import type { ErrorCode } from '../../generated/errors.ts';
import { operations, requestRules, securitySchemes, version } from '../../generated/operations.ts';
import type { Request } from 'express';
import type { Principal } from '../domain/principal.ts';
import type { TraceContext } from './steps/arrival.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  /** Whether each item of an array is a parameter of its own; otherwise, commas are between them. */
  readonly explode: boolean;
  /** Its JSON type, and that of its items if it is an array. */
  readonly type: string;
  readonly itemType?: string;
}

/** An operation as generated/operations.ts lists it: all that the document says of it and the server acts on. */
export interface TableRow {
  readonly method: string;
  readonly path: string;
  /** The alternatives, each the names of the schemes that are needed together. None: the operation is public. */
  readonly security: readonly (readonly string[])[];
  readonly requiredPermission: string | null;
  readonly requiredFeature: string | null;
  readonly parameters: readonly Parameter[];
  /** The largest request body; null if the operation has none. */
  readonly maxBodyBytes: number | null;
  readonly isBodyRequired: boolean;
  readonly requestMediaTypes: readonly string[];
  /** Whether a request can break a rule that the validator enforces. */
  readonly hasRequestRules: boolean;
  /** The media types of each documented status. */
  readonly responseMediaTypes: Readonly<Record<string, readonly string[]>>;
  /** The names of the headers that its responses may have. */
  readonly responseHeaders: readonly string[];
  /** The error codes that the examples of each status show. */
  readonly errorCodes: Readonly<Record<string, readonly ErrorCode[]>>;
}

/** How a credential is presented. */
export type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header'; readonly name: string }
  | { readonly type: 'http'; readonly scheme: 'bearer' };

/** What drives the server: all that `npm run generate` wrote from the document. */
export interface ApiDescription {
  readonly version: string;
  readonly operations: Readonly<Record<string, TableRow>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The rules of requests, in the form in which express-openapi-validator enforces them. */
  readonly requestRules: object;
}

export const ownApi: ApiDescription = { version, operations, securitySchemes, requestRules };

/** What the steps of a request read of its operation. */
export interface MatchedOperation extends TableRow {
  readonly operationId: string;
  readonly schemes: readonly string[];
  /** The names of its query and header parameters, as documented. */
  readonly queryNames: readonly string[];
  readonly headerNames: readonly string[];
}

/**
 * The operations of a description, by their operationId.
 * @throws {Error} if it leaves open who may call one of them, or how much a caller may send
 */
export function operationsOf({ operations, securitySchemes }: ApiDescription): Map<string, MatchedOperation> {
  return new Map(
    Object.entries(operations).map(([operationId, row]) => {
      const schemes = [...new Set(row.security.flat())];
      const fault = faultOf(row, schemes, securitySchemes);
      if (fault !== undefined) throw new Error(`The operation ${operationId} cannot be served: ${fault}.`);
      const namesIn = (place: Parameter['in']) =>
        row.parameters.filter((each) => each.in === place).map(({ name }) => name);
      return [
        operationId,
        { ...row, operationId, schemes, queryNames: namesIn('query'), headerNames: namesIn('header') },
      ];
    }),
  );
}

function faultOf(row: TableRow, schemes: string[], known: ApiDescription['securitySchemes']): string | undefined {
  const { security, requiredPermission, requiredFeature, maxBodyBytes, requestMediaTypes } = row;
  if (security.some((alternative) => alternative.length === 0))
    return 'one of its security requirements is empty; only `security: []` makes it public';
  const unknown = schemes.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) return `its security scheme ${unknown} is not declared`;
  if (security.length === 0 && (requiredPermission !== null || requiredFeature !== null))
    return 'it is public and requires a permission or a feature';
  if ((maxBodyBytes === null) !== (requestMediaTypes.length === 0))
    return 'it has a request body without a limit, or a limit without a request body';
  return undefined;
}

/** Headers by name. Each name has the same spelling in all files. */
export type Headers = Readonly<Record<string, string | number>>;

declare global {
  // oxlint-disable-next-line @typescript-eslint/no-namespace -- the only way to extend Express's request
  namespace Express {
    /** What the steps add to a request, each step one property. */
    interface Request {
      id: string;
      operation?: MatchedOperation;
      principal?: Principal | undefined;
      /** The methods that are allowed at the request's path, if the request has another one. */
      allowed?: ReadonlySet<string>;
      /** The headers that state which limit counted the request, and what is left of it. */
      rateLimit?: Headers;
      /** The trace that the request belongs to, if any. */
      trace?: TraceContext | undefined;
      /** True if the request was refused or cut because too many others were in flight. */
      overloaded?: true;
    }
  }
}

/** The operation found for this request. @throws {Error} if there is none, because steps are in the wrong order */
export function operationOf({ operation }: Request): MatchedOperation {
  if (!operation) throw new Error('No operation was found for this request.');
  return operation;
}

/** Whether anybody may call an operation, with a credential or without one. */
export function isPublic({ security }: Pick<MatchedOperation, 'security'>): boolean {
  return security.length === 0;
}

/** The caller of this request. @throws {Error} if nobody was authenticated, because steps are in the wrong order */
export function principalOf({ principal }: Request): Principal {
  if (!principal) throw new Error('Nobody was authenticated for this request.');
  return principal;
}

/** The media type by which the validator knows every body that is not JSON. */
export const bytesMediaType = 'application/octet-stream';

/** Whether a media type is JSON, or a format on top of it (RFC 6839). */
export function isJson(mediaType: string): boolean {
  return /^application\/(?:[^;]+\+)?json(?: *;|$)/i.test(mediaType);
}

/** Whether a media range, as in `image/*`, matches more than one media type. */
export function isRange(mediaType: string): boolean {
  return mediaType.endsWith('/*');
}

/** The first of these media types and ranges that covers a media type, which is in lower case and without parameters. */
export function covering(mediaTypes: readonly string[], mediaType: string): string | undefined {
  const ranges = [mediaType, `${mediaType.split('/', 1)[0]}/*`, '*/*'];
  return mediaTypes.find((each) => ranges.includes(each.toLowerCase()));
}
