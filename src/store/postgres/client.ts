import pg from 'pg';
import { StoreOpenError, StoreUnavailableError } from '../errors.ts';
import { CopyError } from '../transfer.ts';

/**
 * The options of a connection. `prefer`, `require` and `verify-ca` mean `verify-full` to `pg`: it never falls back to
 * plain text, and always verifies the certificate, except with `no-verify`. Values that the URL omits come from the
 * environment (`PGPASSWORD`, `PGPASSFILE` and so on).
 */
export function connectionOptions(url: string): pg.ClientConfig {
  const parsed = new URL(url);
  if (/^(prefer|require|verify-ca)$/.test(parsed.searchParams.get('sslmode') ?? ''))
    parsed.searchParams.set('sslmode', 'verify-full');
  return {
    connectionString: parsed.href,
    application_name: 'document-analysis',
    keepAlive: true,
    connectionTimeoutMillis: 5000,
  };
}

/** Describes the location of a database, without secrets. */
export function describeDatabase(url: string): string {
  try {
    const { database, host, port } = new pg.Client(connectionOptions(url));
    return `${database ?? ''} on ${host}:${port}`;
  } catch {
    // Connecting reports an unreadable certificate.
    return 'that the URL names';
  }
}

/** Where the URL of a server's database is given. */
export const databaseUrl = 'DATABASE_URL';

/** Errors that already say what to do. */
const ownErrors = [StoreOpenError, StoreUnavailableError, CopyError];

/**
 * Works over a connection of its own.
 * @throws {StoreOpenError} on any fault of PostgreSQL: names the database and what to do, never the password
 */
export async function withClient<T>(
  { url, place, ...bounds }: { url: string; place: string } & pg.ClientConfig,
  work: (client: pg.Client, name: string) => Promise<T>,
): Promise<T> {
  const name = describeDatabase(url);
  let client: pg.Client | undefined;
  let connected = false;
  try {
    client = new pg.Client({ ...connectionOptions(url), ...bounds });
    // The next statement reports a connection that is lost later.
    client.on('error', () => undefined);
    await client.connect();
    connected = true;
    return await work(client, name);
  } catch (error) {
    if (ownErrors.some((kind) => error instanceof kind)) throw error;
    const message = `The database ${name} cannot be opened: ${reasonOf(error)}. ${adviceOn(error, place)}`;
    throw new StoreOpenError(message, { cause: error });
  } finally {
    // After some errors, `pg` leaves the connection open, which would keep the process running, or never ends it.
    const ended = client?.end();
    if (connected) await ended;
  }
}

export const nameItself = (place: string): string =>
  `Set ${place} to a direct connection to PostgreSQL: each server pools its own connections (DATABASE_POOL_SIZE). ` +
  'Or, except for store migrate, set DATABASE_POOLER=transaction.';

export const askOwner = (user: string) =>
  `Let the owner of the database run: document-analysis store migrate --server-role ${user}`;

const advice: [RegExp, (place: string) => string][] = [
  // PgBouncer's messages.
  [/unsupported startup parameter.*options/, (place) => `Leave options out of ${place}, and out of PGOPTIONS.`],
  [/unsupported startup parameter/, (place) => `It is reached through a connection pooler. ${nameItself(place)}`],
  [/^28|password/, (place) => `Check the user and the password in ${place} (or PGPASSWORD, PGPASSFILE).`],
  [/^3D000/, (place) => `Create the database, or correct its name in ${place}.`],
  [/^42(703|710|723|P07)/, (place) => `It contains objects of another program. Name an empty database in ${place}.`],
  [/^(42501|3F000)/, (place) => `${askOwner('ROLE')}, with the user in ${place} as ROLE; or make that user the owner.`],
  [/^42704/, () => 'Create the role first, as in CREATE ROLE document_analysis_server LOGIN.'],
  [/^53300/, () => "Raise PostgreSQL's max_connections, or lower DATABASE_POOL_SIZE."],
  [/^57P03/, () => 'Try again when PostgreSQL has started.'],
  [/^(ENOTFOUND|EAI_AGAIN)/, (place) => `Check the host in ${place}.`],
  [/SSL|TLS|CERT|SIGNATURE|ENOENT.*open/, (place) => `Check sslmode and sslrootcert in ${place}.`],
];

function adviceOn(error: unknown, place: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, found] = advice.find(([pattern]) => pattern.test(code ?? message) || pattern.test(message)) ?? [];
  return found?.(place) ?? `Check that PostgreSQL runs there and accepts connections, and check ${place}.`;
}

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

/** Whether a retry can succeed, because PostgreSQL has rolled a transaction back for a concurrent one. */
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
