/**
 * The errors that a call can fail with. Every failure is thrown, so that none is overlooked. `isApiError` gives a
 * caught error the types of the called operation. Codes are an open enumeration: those of the document are known by
 * name, and any other string is possible.
 */
import { endpoints, type ErrorCodes, type OperationId } from './generated/client.ts';

/** A code that the document does not list, typed so that editors still suggest the listed ones. */
type OtherCode = string & Record<never, never>;

/**
 * The error codes that the document lists for an operation, or for one of its statuses.
 * @example
 * ```ts
 * type NotFound = ErrorCode<'getCase', 404>; // 'request.cases.case.not-found' | 'request.not-found'
 * ```
 */
export type ErrorCode<
  Id extends OperationId = OperationId,
  Status extends KeyOfUnion<ErrorCodes[Id]> = KeyOfUnion<ErrorCodes[Id]>,
> = Id extends OperationId ? ErrorCodes[Id][Status & keyof ErrorCodes[Id]] & string : never;

type KeyOfUnion<T> = T extends unknown ? keyof T : never;

/** The base of all errors of the client, with the failed call and the id under which the service logged it. */
export abstract class DocumentAnalysisError extends Error {
  /** The operation that was called. */
  readonly operationId: OperationId;
  /** Identifies the request in the service's logs; all attempts of a call send the same id. */
  readonly requestId: string;

  constructor(call: FailedCall, message: string, options?: ErrorOptions) {
    super(`${call.operationId}: ${message} (request id ${call.requestId})`, options);
    this.operationId = call.operationId;
    this.requestId = call.requestId;
  }
}

/** The call that failed. */
export interface FailedCall {
  readonly operationId: OperationId;
  readonly requestId: string;
}

/** The error object of the service, as sent. */
export interface ErrorBody {
  readonly error_code: string;
  readonly error_message: string;
  readonly error_details?: Readonly<Record<string, unknown>>;
}

/** An error that came with a response. */
abstract class ResponseError extends DocumentAnalysisError {
  /** 0 for a redirect in a browser: redirects are not followed, because they could expose the credential. */
  readonly status: number;
  /** How long the service asks to wait before the next attempt; undefined if it does not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(call: FailedCall, { status, retryAfterSeconds }: ResponseHead, message: string) {
    super(call, message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A response without its body. */
export type ResponseHead = Pick<ResponseError, 'status' | 'retryAfterSeconds'>;

/** The service responded with an error. `isApiError` narrows it to the operation's own statuses and codes. */
export class ApiError extends ResponseError {
  override readonly name = 'ApiError';
  /** For programs: stable, but the service may send codes that the document does not list yet. */
  readonly code: string;
  /** Further details, in free form; for `request.validation.failed` the fields and their faults. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(call: FailedCall, head: ResponseHead, body: ErrorBody) {
    super(call, head, `${head.status} ${body.error_code}: ${body.error_message}`);
    this.code = body.error_code;
    this.details = body.error_details;
  }
}

/** The response did not come from this API, but from a proxy, a redirect or a wrong address. */
export class UnexpectedResponseError extends ResponseError {
  override readonly name = 'UnexpectedResponseError';

  constructor(call: FailedCall, head: ResponseHead) {
    const advice = 'is not one of this API; check the base address and what lies between';
    super(call, head, `the response with status ${head.status} ${advice}`);
  }
}

/** No complete response arrived; `cause` is the error of the platform's fetch. The call may have taken effect. */
export class ConnectionError extends DocumentAnalysisError {
  override readonly name = 'ConnectionError';

  constructor(call: FailedCall, cause: unknown) {
    super(call, 'the connection failed before the whole response had come', { cause });
  }
}

/** The call, with all its attempts, took longer than `timeoutSeconds`. It may have taken effect. */
export class TimeoutError extends DocumentAnalysisError {
  override readonly name = 'TimeoutError';
  readonly timeoutSeconds: number;

  constructor(call: FailedCall, timeoutSeconds: number) {
    super(call, `no response within ${timeoutSeconds} s`);
    this.timeoutSeconds = timeoutSeconds;
  }
}

/**
 * The errors that the document declares for one operation, with a type for each status: checking `status` narrows the
 * codes to those of that status. Other codes remain possible, because the list of codes may grow.
 */
export type OperationError<Id extends OperationId> = {
  [Operation in Id]: ApiError & { readonly operationId: Operation } & {
      [Status in keyof ErrorCodes[Operation]]: {
        readonly status: Status;
        readonly code: ErrorCodes[Operation][Status] | OtherCode;
      };
    }[keyof ErrorCodes[Operation]];
}[Id];

/**
 * Whether the error is a response to this operation with a status that the document declares; narrows the error to the
 * types of the operation. An `ApiError` with another status comes from a service that is newer than this client.
 * @example ```ts try { return await client.getCase(caseId); } catch (error) { if (isApiError(error, 'getCase') &&
 *   error.status === 404) return undefined; throw error; } ```
 */
export function isApiError<Id extends OperationId>(error: unknown, operationId: Id): error is OperationError<Id> {
  if (!(error instanceof ApiError) || error.operationId !== operationId) return false;
  const declared: readonly string[] = endpoints[operationId].errorStatuses;
  return declared.includes(String(error.status));
}
