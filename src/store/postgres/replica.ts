/**
 * Cases are read from a read replica. The primary is read where the replica does not have a case yet or is unavailable,
 * so that a lost replica costs capacity alone. The replica is tried again after a pause.
 */
import type { Region } from '../../domain/region.ts';
import type { CaseSource } from '../case-source.ts';
import { StoreOpenError } from '../errors.ts';
import type { Store } from '../store.ts';
import { TemporaryFileError } from '../temporary-json.ts';
import { postgresCaseSource } from './case-source.ts';
import { caseStore } from './cases.ts';
import { Connection } from './connection.ts';
import type { PostgresLocation } from '../settings.ts';
import { connect, openError } from './database-url.ts';
import { reasonOf } from './faults.ts';
import { readState } from './migrate.ts';
import { requireOwnSession } from './own-session.ts';
import { openPool } from './pool.ts';
import { clientBounds, requireSettings } from './session-settings.ts';

const variable = 'DATABASE_READ_URL';
const pauseMilliseconds = 10_000;

/**
 * Why a replica is out of reach for now, as opposed to set up wrongly. Without its name service, and in some of them while it
 * is stopped, its host is unknown (ENOTFOUND, EAI_AGAIN).
 */
const unavailable = /^(08|53|57|ECONN|ETIMEDOUT|EHOST|ENET|EPIPE|ENOTFOUND|EAI_)|timeout|terminated/;

type Read<T> = () => Promise<T | undefined>;

/** The events of a replica, for a log. */
export type OnReplica = (message: string, error?: unknown) => void;

export interface Replica {
  /** A look-up of a case that asks the replica first, and the primary where the replica cannot tell. */
  findCase(primary: Store['findCase']): Store['findCase'];
  /** The same for the texts of cases. */
  caseSource(primary: CaseSource): CaseSource;
  close(): Promise<void>;
}

/**
 * Opens a read replica. One that is out of reach is logged, and used as soon as it is back.
 * @throws {StoreOpenError} if it is set up wrongly, or holds another region
 */
export async function openReplica(
  { url, poolSize, pooled }: Omit<PostgresLocation, 'readUrl'>,
  region: Region,
  onReplica: OnReplica,
): Promise<Replica> {
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
  const { findCase } = caseStore(connection);
  const source = postgresCaseSource(connection);
  const first = async <T>(read: Read<T>, fromPrimary: Read<T>): Promise<T | undefined> => {
    if (performance.now() < usableFrom) return fromPrimary();
    try {
      const found = await read();
      if (usableFrom !== 0) onReplica('The read replica is used again');
      usableFrom = 0;
      if (found !== undefined) return found;
    } catch (error) {
      if (error instanceof TemporaryFileError) throw error;
      markDown(error);
    }
    return fromPrimary();
  };
  return {
    findCase:
      (primary) =>
      (...id) =>
        first(
          () => findCase(...id),
          () => primary(...id),
        ),
    caseSource: (primary) => ({
      findRevision: (...id) =>
        first(
          () => source.findRevision(...id),
          () => primary.findRevision(...id),
        ),
      readBeginning: (...id) =>
        first(
          () => source.readBeginning(...id),
          () => primary.readBeginning(...id),
        ),
      withCase: (organisationId, caseId, work) =>
        first(
          () => source.withCase(organisationId, caseId, work),
          () => primary.withCase(organisationId, caseId, work),
        ),
    }),
    close: () => database.pool.end(),
  };
}

async function checkReplica(url: string, region: Region, pooled = false): Promise<void> {
  const { client, name } = await connect(url, variable, pooled ? clientBounds : {});
  try {
    await (pooled ? requireSettings(client, name) : requireOwnSession(client, url, name, variable));
    if (!(await readState(client, name, region)))
      throw new StoreOpenError(
        `The database ${name} holds no data. ${variable} must name a replica of DATABASE_URL's.`,
      );
  } catch (error) {
    throw openError(name, variable, error);
  } finally {
    await client.end();
  }
}
