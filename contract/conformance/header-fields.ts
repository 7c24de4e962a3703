/** The fields of a header section: their values by their names in lower case. */
export type HeaderFields = Readonly<Record<string, readonly string[] | undefined>>;

/** A header's value with the white space of lists and parameters as most write it: it may be left out and added. */
export function withUsualSpace(value: string): string {
  return value.replace(/"(?:[^"\\]|\\.)*"|[ \t]*([,;])[ \t]*/g, (found, mark?: string) =>
    mark === undefined ? found : mark === ',' ? ', ' : ';',
  );
}
