import pg from 'pg';
import { StoreUnavailableError } from '../errors.ts';

/**
 * SQLSTATE classes and codes of errors that the statement did not cause: errors of the connection, login, resources,
 * operator intervention or system; a missing or read-only database, an idle transaction, an unavailable lock, and
 * contention that outlasts all retries.
 */
const unavailable = /^(08|28|53|57|58|3D000|25006|25P03|55P03|40001|40P01)/;
const contention = /^(40001|40P01)$/;
/** With these codes, PostgreSQL has rolled the statement or the commit back: nothing was saved. */
const undone = /^(25006|40001|40P01|55P03|57014)$/;

/** Turns an error into a `StoreUnavailableError`, unless the statement caused it. */
export function translate(error: unknown, database: string): unknown {
  if (error instanceof pg.DatabaseError && !unavailable.test(String(error.code))) return error;
  return new StoreUnavailableError(`The database ${database} cannot be used: ${reasonOf(error)}`, { cause: error });
}

/** Whether PostgreSQL has rolled a transaction back because of a concurrent one, so that a retry can succeed. */
export function isContention(error: unknown): boolean {
  return contention.test(String(sqlState(error)));
}

/** Whether PostgreSQL has rolled a transaction back for a temporary reason: nothing was saved. */
export function isUndone(error: unknown): boolean {
  return undone.test(String(sqlState(error)));
}

/** The SQLSTATE of an error, whether translated or not; undefined if PostgreSQL did not report it. */
export function sqlState(error: unknown): string | undefined {
  const origin = error instanceof StoreUnavailableError ? error.cause : error;
  return origin instanceof pg.DatabaseError ? origin.code : undefined;
}

/** The message of an error, or its code: Node.js leaves the message empty if several addresses of a host fail. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || String(code);
}
