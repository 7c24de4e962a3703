/** The fields of a header section: their values by their names in lower case. */
export type HeaderFields = Readonly<Record<string, readonly string[] | undefined>>;
