/**
 * Reads cases from a read replica, and from the primary if the replica does not have the case yet or is unavailable. A
 * failed replica therefore costs only capacity. It is tried again after a pause.
 */
import type { Region } from '../../domain/region.ts';
import type { CaseSource } from '../case-texts/case-source.ts';
import { StoreOpenError } from '../errors.ts';
import { TemporaryFileError } from '../case-texts/json-text.ts';
import { postgresCaseSource } from './case-source.ts';
import { Connection, openPool } from './connection.ts';
import type { PostgresLocation } from '../settings.ts';
import { withClient } from './database-url.ts';
import { reasonOf } from './faults.ts';
import { readState } from './prepare.ts';
import { clientBounds, requireOwnSession, requireSettings } from './session-settings.ts';

const variable = 'DATABASE_READ_URL';
const pauseMilliseconds = 10_000;

/**
 * The errors of a replica that is temporarily unavailable, as opposed to misconfigured. Its host name may not resolve
 * (ENOTFOUND, EAI_AGAIN) if DNS fails or, in some environments, while the replica is stopped.
 */
const unavailable = /^(08|53|57|ECONN|ETIMEDOUT|EHOST|ENET|EPIPE|ENOTFOUND|EAI_)|timeout|terminated/;

/** The events of a replica, for a log. */
export type OnReplica = (message: string, error?: unknown) => void;

/** If it is unavailable, it is used later. @throws {StoreOpenError} if it is misconfigured, or contains another region */
export async function openReplica(
  { url, poolSize, pooled }: Omit<PostgresLocation, 'readUrl'>,
  region: Region,
  primary: CaseSource,
  onReplica: OnReplica,
): Promise<CaseSource & { close(): Promise<void> }> {
  let usableFrom = 0;
  const markDown = (error: unknown): void => {
    if (usableFrom === 0) onReplica('The read replica cannot be used: cases are read from the primary', error);
    usableFrom = performance.now() + pauseMilliseconds;
  };
  try {
    await checkReplica(url, region, pooled);
  } catch (error) {
    const { cause } = error as Error;
    if (cause === undefined || !unavailable.test((cause as { code?: string }).code ?? reasonOf(cause))) throw error;
    markDown(error);
  }
  const database = openPool(url, poolSize, pooled);
  const connection = new Connection(database);
  const source = postgresCaseSource(connection);
  const first = async <T>(read: (from: CaseSource) => Promise<T | undefined>) => {
    if (performance.now() < usableFrom) return read(primary);
    try {
      const found = await read(source);
      if (usableFrom !== 0) onReplica('The read replica is used again');
      usableFrom = 0;
      if (found !== undefined) return found;
    } catch (error) {
      if (error instanceof TemporaryFileError) throw error;
      markDown(error);
    }
    return read(primary);
  };
  return {
    findRevision: (...id) => first((from) => from.findRevision(...id)),
    readBeginning: (...id) => first((from) => from.readBeginning(...id)),
    withCase: (...call) => first((from) => from.withCase(...call)),
    close: () => database.pool.end(),
  };
}

function checkReplica(url: string, region: Region, pooled = false): Promise<void> {
  return withClient({ url, place: variable, ...clientBounds }, async (client, name) => {
    await (pooled ? requireSettings(client, name) : requireOwnSession(client, url, name, variable));
    if (!(await readState(client, name, region)))
      throw new StoreOpenError(
        `The database ${name} has no data. ${variable} must name a replica of the database in DATABASE_URL.`,
      );
  });
}
