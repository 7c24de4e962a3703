/** The part of better-sqlite3's interface that effects use. */
export interface Database {
  exec(source: string): unknown;
  prepare<Parameters extends unknown[], Row = unknown>(source: string): Statement<Parameters, Row>;
}

export interface Statement<Parameters extends unknown[], Row> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  run(...parameters: unknown[]): unknown;
  /** Returns the first column instead of the row. */
  pluck(): Statement<Parameters, Row>;
}
