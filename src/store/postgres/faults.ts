import pg from 'pg';
import { StoreUnavailableError } from '../errors.ts';

/**
 * SQLSTATE classes and codes of a fault that is not in the statement: the connection, a refused login, resources, an
 * operator's intervention, the system; a database that is gone or takes no writes, a lock that is not to be had, and
 * contention that outlasts every new try.
 */
const unavailable = /^(08|28|53|57|58|3D000|25006|25P03|55P03|40001|40P01)/;
const contention = /^(40001|40P01)$/;
/** With these, PostgreSQL has ended the statement or its commit, and says that nothing was saved. */
const undone = /^(25006|40001|40P01|55P03|57014)$/;

/** The error as the store throws it: a cause outside of the statement makes the store unavailable. */
export function translate(error: unknown, database: string): unknown {
  if (error instanceof pg.DatabaseError && !unavailable.test(String(error.code))) return error;
  return new StoreUnavailableError(`The database ${database} cannot be used: ${reasonOf(error)}`, { cause: error });
}

/** Whether PostgreSQL has undone a transaction because of another one, so that it can be tried again. */
export function isContention(error: unknown): boolean {
  return contention.test(String(sqlState(error)));
}

/** Whether PostgreSQL has said of what it could not do for now that nothing of it was saved. */
export function isUndone(error: unknown): boolean {
  return undone.test(String(sqlState(error)));
}

/** Whether a statement failed because an identifier or a name is taken. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** PostgreSQL's own code of an error, also of one that was translated; undefined if it is not PostgreSQL's. */
export function sqlState(error: unknown): string | undefined {
  const origin = error instanceof StoreUnavailableError ? error.cause : error;
  return origin instanceof pg.DatabaseError ? origin.code : undefined;
}

/** What an error says; Node.js leaves it empty if several addresses of a host were tried in vain. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || String(code);
}
