/** What the effects use of a SQLite database, as better-sqlite3 gives it. */
export interface Database {
  exec(source: string): unknown;
  prepare<Parameters extends unknown[], Row = unknown>(source: string): Statement<Parameters, Row>;
}

export interface Statement<Parameters extends unknown[], Row> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  run(...parameters: unknown[]): unknown;
  /** Gives the first column in place of the row. */
  pluck(): Statement<Parameters, Row>;
}
