/**
 * Everything that a call can fail with. Each failure is thrown, so that none can be overlooked; `isApiError` gives a
 * caught one the types of the operation that was called. Codes are an open enumeration: those of the document are
 * known by name, and any other string may come.
 */
import { endpoints, type ErrorCodes, type OperationId } from './generated/client.ts';

/** A code that the document does not list, in a form that leaves the listed ones in sight of editors. */
type OtherCode = string & Record<never, never>;

/**
 * The error codes that the document gives an operation, or one status of it.
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

/** What every error of the client has: the call that failed, and the id under which the service logged it. */
export abstract class DocumentAnalysisError extends Error {
  /** The operation that was called. */
  readonly operationId: OperationId;
  /**
   * Names the request in the service's logs. All attempts of a call carry the same one, also those that got no response.
   */
  readonly requestId: string;

  constructor(call: FailedCall, message: string, options?: ErrorOptions) {
    super(`${call.operationId}: ${message} (request id ${call.requestId})`, options);
    this.operationId = call.operationId;
    this.requestId = call.requestId;
  }
}

/** Which call failed. */
export interface FailedCall {
  readonly operationId: OperationId;
  readonly requestId: string;
}

/** What a response says beside its body. */
export interface ResponseHead {
  readonly status: number;
  /** How long the service asks to wait before the next attempt; absent if it does not say. */
  readonly retryAfterSeconds: number | undefined;
}

/** The error object of the service, as it is sent. */
export interface ErrorBody {
  readonly error_code: string;
  readonly error_message: string;
  readonly error_details?: Readonly<Record<string, unknown>>;
}

/** The service responded with an error. `isApiError` narrows it to the operation's own statuses and codes. */
export class ApiError extends DocumentAnalysisError implements ResponseHead {
  override readonly name = 'ApiError';
  readonly status: number;
  /** For programs: stable, but a code may come that the document does not list yet. */
  readonly code: string;
  /** Further facts, free in form; with `request.validation.failed` the fields and their faults. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(call: FailedCall, { status, retryAfterSeconds }: ResponseHead, body: ErrorBody) {
    super(call, `${status} ${body.error_code}: ${body.error_message}`);
    this.status = status;
    this.code = body.error_code;
    this.details = body.error_details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Something responded that does not speak this API: a proxy, a redirect, a wrong address. */
export class UnexpectedResponseError extends DocumentAnalysisError implements ResponseHead {
  override readonly name = 'UnexpectedResponseError';
  /** The status; 0 for a redirect in a browser. Redirects are not followed, lest they carry a credential elsewhere. */
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(call: FailedCall, { status, retryAfterSeconds }: ResponseHead) {
    super(
      call,
      `the response with status ${status} is not one of this API; check the base address and what lies between`,
    );
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No whole response came; `cause` is what the platform's fetch says of it. Whether the call took effect is not known. */
export class ConnectionError extends DocumentAnalysisError {
  override readonly name = 'ConnectionError';

  constructor(call: FailedCall, cause: unknown) {
    super(call, 'the connection failed before the whole response had come', { cause });
  }
}

/** The call, with all its attempts, took longer than `timeoutSeconds`. Whether it took effect is not known. */
export class TimeoutError extends DocumentAnalysisError {
  override readonly name = 'TimeoutError';
  readonly timeoutSeconds: number;

  constructor(call: FailedCall, timeoutSeconds: number) {
    super(call, `no response within ${timeoutSeconds} s`);
    this.timeoutSeconds = timeoutSeconds;
  }
}

/**
 * The errors that the document declares for one operation, one type a status: testing `status` leaves the codes of that
 * status. Other codes stay possible, because the list of codes may grow.
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
 * Tells whether the error is a response to this operation whose status the document declares for it, and gives the
 * error the types of the operation. An `ApiError` of another status comes from a service that is newer than this client.
 * @example
 * ```ts
 * try {
 *   return await client.getCase(caseId);
 * } catch (error) {
 *   if (isApiError(error, 'getCase') && error.status === 404) return undefined;
 *   throw error;
 * }
 * ```
 */
export function isApiError<Id extends OperationId>(error: unknown, operationId: Id): error is OperationError<Id> {
  if (!(error instanceof ApiError) || error.operationId !== operationId) return false;
  const declared: readonly string[] = endpoints[operationId].errorStatuses;
  return declared.includes(String(error.status));
}
