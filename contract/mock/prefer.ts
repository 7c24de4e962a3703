/** The preferences of a request, by their names in lower case; one without a value has the empty text. */
export type Preferences = ReadonlyMap<string, string>;

// A quotation that does not end takes the rest.
const element = /(?:"(?:\\.|[^"\\])*\\?(?:"|$)|[^,"])+/g;
const preference = /^\s*([^\s=;"]+)\s*(?:=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*)))?/;

/**
 * Reads a `Prefer` header (RFC 7240): of a preference that is given twice the first counts. Parameters, which no
 * preference of the mock has, are passed over.
 */
export function readPreferences(header: string | undefined): Preferences {
  const preferences = new Map<string, string>();
  for (const text of header?.match(element) ?? []) {
    const [, name, quoted, token = ''] = preference.exec(text) ?? [];
    const key = name?.toLowerCase();
    if (key !== undefined && !preferences.has(key)) preferences.set(key, quoted?.replace(/\\(.)/g, '$1') ?? token);
  }
  return preferences;
}
