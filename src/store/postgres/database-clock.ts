/**
 * SQL for the start of the statement, plus a number of milliseconds, in the stored format. It is the database's clock,
 * which all servers share.
 */
export function databaseTime(milliseconds: number | string = 0): string {
  const time = `statement_timestamp() + (${milliseconds}) * interval '1 millisecond'`;
  return `to_char((${time}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
