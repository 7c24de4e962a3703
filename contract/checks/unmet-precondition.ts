import type { Need } from '../run/model.ts';

/**
 * What the document would have to say before a check can be made. No target has it, so the check is reported as not run
 * with this as the reason.
 */
export function unmetPrecondition(what: string): Need {
  return `${what} (in the document)` as Need;
}

/** What the tester may give as well. */
export function unmetValue(what: string): Need {
  return `${what} (in the document, or under values in the configuration file)` as Need;
}
