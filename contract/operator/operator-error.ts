/** The operator, and not the server, has failed: it crashed, hung, or responded with what the protocol does not allow. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** The operator does not offer a method, so that the check which needs it cannot be run. */
export class NotOfferedError extends Error {
  override readonly name = 'NotOfferedError';

  constructor(method: string) {
    super(`missing: operator (${method})`);
  }
}
