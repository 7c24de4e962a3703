/** The fields of a header section: their values by their names in lower case. */
export type HeaderFields = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * A header's value as most write it: the white space of lists and parameters may be left out and added, and the letter case
 * of the directives of Cache-Control does not count (RFC 9111, section 5.2).
 */
export function inUsualForm(name: string, value: string): string {
  const cased = /^cache-control$/i.test(name) ? value.toLowerCase() : value;
  return cased.replace(/"(?:[^"\\]|\\.)*"|[ \t]*([,;])[ \t]*/g, (found, mark?: string) =>
    mark === undefined ? found : mark === ',' ? ', ' : ';',
  );
}
