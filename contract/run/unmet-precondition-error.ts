/** What a check has found to be missing while it ran, so that it is reported as not run. The message says what. */
export class UnmetPreconditionError extends Error {
  override readonly name = 'UnmetPreconditionError';
}
