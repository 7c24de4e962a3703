/** A time that all servers agree on, whatever their own clocks say. */

/** SQL for the database's time when the statement began, and this many milliseconds later, as times are stored. */
export function databaseTime(milliseconds: number | string = 0): string {
  const time = `statement_timestamp() + (${milliseconds}) * interval '1 millisecond'`;
  return `to_char((${time}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
