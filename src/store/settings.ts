import { EnvError, makeExactValidator } from 'envalid';
import { isPercentEncoded, oneOf, wholeNumber } from '../runtime/config-values.ts';

/** The location of the data, and how many connections a process may open to it. */
export interface PostgresLocation {
  readonly url: string;
  readonly poolSize: number;
  /** Whether the URL leads to a pooler in transaction mode. */
  readonly pooled?: boolean | undefined;
}

const sslModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];
const encoding = 'In a password, percent-encode each of / ? # @ : and %';

/** The error in a database URL, without quoting any part of it; undefined if it is valid. */
export function faultOfDatabaseUrl(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    return `must be a URL such as postgres://user:password@host:5432/database. ${encoding}`;
  const { username, password, pathname, search, hash, searchParams } = new URL(text);
  if (/[@:/]/.test(pathname.slice(1)) || search.includes('@') || hash !== '')
    return `has an @, :, / or # after the host. ${encoding}`;
  if (![username, password, pathname].every(isPercentEncoded)) return `has an invalid percent-encoding. ${encoding}`;
  // The driver would use the user's default database, and create tables there.
  if (pathname.length < 2) return 'names no database. Add it after the host, as in postgres://user@host:5432/database';
  const mode = searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode))
    return `has an sslmode that does not exist. Choose one of ${sslModes.join(', ')}`;
  return undefined;
}

const databaseUrl = makeExactValidator<string>((text) => {
  const fault = faultOfDatabaseUrl(text);
  if (fault !== undefined) throw new EnvError(fault);
  return text;
});

export const databaseSettings = {
  DATABASE_URL: databaseUrl({ default: undefined }),
  DATABASE_POOL_SIZE: wholeNumber(1, 1000)({ default: 10 }),
  DATABASE_POOLER: oneOf(['none', 'transaction'])({ default: 'none' }),
};

export function databaseOf(values: {
  DATABASE_URL: string | undefined;
  DATABASE_POOL_SIZE: number;
  DATABASE_POOLER: string;
}): PostgresLocation | undefined {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } = values;
  const pooled = values.DATABASE_POOLER === 'transaction';
  return url === undefined ? undefined : Object.freeze({ url, poolSize, pooled });
}
