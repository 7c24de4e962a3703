/** The fields of a header section: values by lower-case name. */
export type HeaderFields = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * A header's value in its usual spelling. Normalises optional white space in lists and parameters, and the letter case
 * of Cache-Control directives (RFC 9111, section 5.2).
 */
export function inUsualForm(name: string, value: string): string {
  const cased = /^cache-control$/i.test(name) ? value.toLowerCase() : value;
  return cased.replace(/"(?:[^"\\]|\\.)*"|[ \t]*([,;])[ \t]*/g, (found, mark?: string) =>
    mark === undefined ? found : mark === ',' ? ', ' : ';',
  );
}
