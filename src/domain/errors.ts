/** What an operator can put right: the message says what to do, and holds no secret. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** A part of the service cannot be used for now. The same request may succeed later. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError';
  /** Whether the outage has been logged already. */
  readonly isLogged: boolean;

  constructor(message: string, { isLogged = false, cause }: { isLogged?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isLogged = isLogged;
  }
}
