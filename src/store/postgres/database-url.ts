import pg from 'pg';
import { StoreOpenError } from '../errors.js';
import { reasonOf } from './faults.js';

/**
 * The options of a connection. `prefer`, `require` and `verify-ca` mean `verify-full` to `pg`: it never falls back to
 * plain text, and always verifies the certificate unless told `no-verify`. What the URL leaves out comes from the
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

/** Opens a single connection. @throws {StoreOpenError} naming the database and what to do, never the password */
export async function connect(url: string, variable: string): Promise<{ client: pg.Client; name: string }> {
  let name = 'that the URL names';
  try {
    const client = new pg.Client(connectionOptions(url));
    // Whatever is lost later is told by the statement that needs it.
    client.on('error', () => undefined);
    name = `${client.database ?? ''} on ${client.host}:${client.port}`;
    await client.connect();
    return { client, name };
  } catch (error) {
    throw openError(name, variable, error);
  }
}

/** The error of a database that cannot be opened. */
export function openError(name: string, variable: string, error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  return new StoreOpenError(`The database ${name} cannot be opened: ${reasonOf(error)}. ${adviceOn(error, variable)}`, {
    cause: error,
  });
}

const advice: [RegExp, (variable: string) => string][] = [
  [/^28/, (variable) => `Check the user and the password in ${variable} (or PGPASSWORD, PGPASSFILE).`],
  [/^3D000/, (variable) => `Create the database, or correct its name in ${variable}.`],
  [/^42501/, () => 'Make the user the owner of the database: it must be able to create tables.'],
  [/^53300/, () => "Raise PostgreSQL's max_connections, or lower DATABASE_POOL_SIZE."],
  [/^57P03/, () => 'Try again when PostgreSQL has started.'],
  [/^(ENOTFOUND|EAI_AGAIN)/, (variable) => `Check the host in ${variable}.`],
  [/SSL|TLS|CERT|SIGNATURE|ENOENT/, (variable) => `Check sslmode and sslrootcert in ${variable}.`],
];

function adviceOn(error: unknown, variable: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, found] = advice.find(([pattern]) => pattern.test(code ?? message) || pattern.test(message)) ?? [];
  return found?.(variable) ?? `Check that PostgreSQL runs there and takes connections, and ${variable}.`;
}
