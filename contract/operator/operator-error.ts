/**
 * The operator failed, not the server: it crashed, timed out, or responded with something that the protocol does not
 * allow.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** The operator does not offer a method that a check needs, so the check cannot be run. */
export class NotOfferedError extends Error {
  override readonly name = 'NotOfferedError';

  constructor(method: string) {
    super(`missing: operator (${method})`);
  }
}
