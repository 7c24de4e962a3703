import { type ErrorCode, errors } from '../../generated/errors.ts';

/** The JSON object that every error response holds (interface document, section 2.5). */
export interface ErrorBody {
  error_code: ErrorCode;
  error_message: string;
  error_details?: Record<string, unknown>;
}

/**
 * A request that gets a documented error. It is deliberately no `Error`: refusals are ordinary responses, and nobody reads
 * the stack trace that each would cost.
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

/** Whether a text is an error code of the document. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** The refusal of a request that may succeed in five seconds. */
export function unavailable(): Refusal {
  return new Refusal('service.unavailable', { headers: { 'Retry-After': '5' } });
}
