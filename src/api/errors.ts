/**
 * Every error that the API can answer, as the document lists them. The two with status 409 are named by the interface
 * document for operations that are not described; the command line uses the first.
 */
export const errors = {
  'request.validation.failed': { status: 400, message: 'The request body is not valid.' },
  'request.malformed': { status: 400, message: 'The bytes received are not a valid HTTP request.' },
  'request.authentication.invalid-token': { status: 401, message: 'The credential is missing or not valid.' },
  'request.forbidden': { status: 403, message: 'The credential lacks the permission that this operation requires.' },
  'request.organisations.feature-flag.not-enabled': {
    status: 403,
    message: 'The organisation does not have the feature that this operation requires.',
  },
  'request.not-found': { status: 404, message: 'There is nothing at this path.' },
  'request.cases.case.not-found': { status: 404, message: 'There is no such case.' },
  'request.method-not-allowed': {
    status: 405,
    message: 'This path does not have this method. Allow lists those it has.',
  },
  'request.timed-out': { status: 408, message: 'The request did not arrive in time.' },
  'request.cases.case.already-locked': { status: 409, message: 'The case is locked.' },
  'request.cases.file.missing-risk-score': { status: 409, message: 'The file has no risk score yet.' },
  'request.body.too-large': { status: 413, message: 'The request body is larger than 16 KiB.' },
  'request.media-type.unsupported': {
    status: 415,
    message: 'The request body must be application/json in UTF-8, without content coding.',
  },
  'request.rate-limit.exceeded': {
    status: 429,
    message: 'Too many requests. Try again after the time that Retry-After states.',
  },
  'request.header.too-large': { status: 431, message: 'The request header section is larger than 16 KiB.' },
  'service.internal-error': {
    status: 500,
    message: 'An unexpected error occurred. Quote the request id when reporting it.',
  },
  'service.unavailable': {
    status: 503,
    message: 'The service cannot answer at the moment. Try again after the time that Retry-After states.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

/** A code of the error catalogue. */
export type ErrorCode = keyof typeof errors;

/** The JSON object that every error answer holds (interface document, section 2.5). */
export interface ErrorBody {
  error_code: ErrorCode;
  error_message: string;
  error_details?: Record<string, unknown>;
}

/**
 * A request that is answered with a documented error. It is deliberately no `Error`: refusals are ordinary answers, and
 * nobody reads the stack trace that each would cost.
 */
export class Refusal {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: { details?: Record<string, unknown>; headers?: Record<string, string> } = {}) {
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errors[this.code].status;
  }

  get body(): ErrorBody {
    const body: ErrorBody = { error_code: this.code, error_message: errors[this.code].message };
    if (this.details) body.error_details = this.details;
    return body;
  }
}

/** The refusal of a request that may succeed in five seconds. */
export function unavailable(): Refusal {
  return new Refusal('service.unavailable', { headers: { 'Retry-After': '5' } });
}
