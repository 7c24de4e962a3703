import { type ErrorCode, errors } from '../../generated/errors.ts';

/** The JSON object that every error response holds (interface document, section 2.5). */
export interface ErrorBody {
  error_code: ErrorCode;
  error_message: string;
  error_details?: Record<string, unknown>;
}

interface RefusalParts {
  readonly message?: string | undefined;
  readonly details?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

/**
 * A refused request, which gets a documented error. It is no `Error`, because a refusal is an ordinary response, and a
 * stack trace would be costly.
 */
export class Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Record<string, unknown> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** Uses the documented message by default. */
  constructor(code: ErrorCode, { message, details, headers = {} }: RefusalParts = {}) {
    this.code = code;
    this.message = message ?? errors[code].message;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return errors[this.code].status;
  }

  get body(): ErrorBody {
    const body: ErrorBody = { error_code: this.code, error_message: this.message };
    if (this.details) body.error_details = this.details;
    return body;
  }
}

/** The refusal of what is no valid HTTP request. What follows it on the connection may be a part of it. */
export function malformed(): Refusal {
  return new Refusal('request.malformed', { headers: { Connection: 'close' } });
}

/** Tells the client to retry in five seconds. */
export function unavailable(): Refusal {
  return new Refusal('service.unavailable', { headers: { 'Retry-After': '5' } });
}
