/** How cases are read: from the primary, or from a read replica, whose failure costs only capacity. */
import type { Region } from '../../domain/region.ts';
import { type CaseDialect, type CaseSource, caseSourceOn, type ReadRow } from '../case-texts/case-source.ts';
import { TemporaryFileError } from '../case-texts/json-text.ts';
import { StoreOpenError } from '../errors.ts';
import type { PostgresLocation } from '../settings.ts';
import { reasonOf, withClient } from './client.ts';
import { canHold, Connection, openPool, type Query } from './connection.ts';
import { readState } from './prepare.ts';
import { clientBounds, requireOwnSession, requireSettings } from './session-settings.ts';

const dialect: CaseDialect = {
  filesAsJson: "string_agg(row_to_json(f)::text, ',' ORDER BY uploaded_at, file_id)",
  join: 'CROSS JOIN LATERAL',
  caseId: 'c.case_id',
};

/** Without table statistics, PostgreSQL would expect few files, and sort all remaining files for each part. */
const alongTheKey = 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

export function postgresCaseSource(connection: Connection): CaseSource {
  const readerOn =
    (query: Query): ReadRow =>
    async <Row extends object>(statement: string, ...values: string[]) =>
      values.every(canHold) ? (await query<Row>(statement, values)).rows[0] : undefined;
  return caseSourceOn(dialect, {
    read: readerOn(connection.query),
    inSnapshot: (work) =>
      connection.readSnapshot(async (query) => {
        await query(alongTheKey);
        return work(readerOn(query));
      }),
  });
}

const variable = 'DATABASE_READ_URL';
const pauseMilliseconds = 10_000;

/**
 * The errors of a replica that is temporarily unavailable, as opposed to misconfigured. Its host name may not resolve
 * (ENOTFOUND, EAI_AGAIN) if DNS fails or, in some environments, while the replica is stopped.
 */
const unavailable = /^(08|53|57|ECONN|ETIMEDOUT|EHOST|ENET|EPIPE|ENOTFOUND|EAI_)|timeout|terminated/;

/** The events of a replica, for a log. */
export type OnReplica = (message: string, error?: unknown) => void;

/**
 * Reads cases from a replica, and from the primary if the replica does not have the case yet or is unavailable; then it is
 * tried again after a pause. @throws {StoreOpenError} if it is misconfigured, or contains another
 * region
 */
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
