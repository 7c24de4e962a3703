import type { Need } from '../run/model.ts';

/**
 * Information missing from the document. No target can provide it, so the check is reported as not run, with this as
 * the reason.
 */
export function unmetPrecondition(what: string): Need {
  return `${what} (in the document)` as Need;
}

/** Missing information that the tester can also provide. */
export function unmetValue(what: string): Need {
  return `${what} (in the document, or under values in the configuration file)` as Need;
}
