import type { Need } from '../run/model.ts';

/**
 * What the document would have to say before a check can be made. No target has it, so the check is reported as not run
 * with this as the reason.
 */
export function unmetPrecondition(what: string): Need {
  return `${what} (in the document)` as Need;
}
