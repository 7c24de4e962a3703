/** The preferences of a request, by lower-case name; one without a value has the empty string. */
export type Preferences = ReadonlyMap<string, string>;

// An unterminated quoted string takes the rest.
const element = /(?:"(?:\\.|[^"\\])*\\?(?:"|$)|[^,"])+/g;
const preference = /^\s*([^\s=;"]+)\s*(?:=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*)))?/;

/**
 * Reads a `Prefer` header (RFC 7240). If a preference is given twice, the first counts. Ignores parameters, because the
 * mock's preferences have none.
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
