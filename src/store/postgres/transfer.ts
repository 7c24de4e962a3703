import type pg from 'pg';
import type { Region } from '../../domain/region.ts';
import { StoreOpenError, StoreUnavailableError } from '../errors.ts';
import type { ColumnType, Row } from '../tables.ts';
import type { Rows, Target, Transferable } from '../transfer.ts';
import { connect, describeDatabase, openError } from './database-url.ts';
import { reasonOf } from './faults.ts';
import { canHoldAll } from './can-hold.ts';
import { columnsOf, insertRows } from './insert-rows.ts';
import { migrate, requireCurrent } from './migrate.ts';
import { readUser } from './rights.ts';

const rowsOfPart = 500;

/** `pg` returns a bigint as text, because not every bigint fits into a JavaScript number. All those stored here do. */
const selected: Record<ColumnType, (name: string) => string> = {
  text: (name) => name,
  integer: (name) => `${name}::float8`,
  boolean: (name) => `${name}::integer`,
  bytes: (name) => `encode(${name}, 'hex')`,
};

// Disables timeouts, which may be set for the role: the duration of a copy depends on the data and the other store.
const unbounded = 'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';
const snapshot = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${unbounded}`;
/** Other writers wait until the copy is done. */
const fill = `
  BEGIN; ${unbounded}; SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = '5s';
  LOCK TABLE organisation IN EXCLUSIVE MODE`;
const continueSequence = `
  SELECT setval(pg_get_serial_sequence('audit_entry', 'sequence'), max(sequence)) FROM audit_entry
  HAVING max(sequence) IS NOT NULL`;

/** A PostgreSQL database as the source or the target of a copy. `place` is where its URL was given. */
export function postgresTransferable(url: string, region: Region, place: string): Transferable {
  const connected = async <T>(work: (client: pg.Client, name: string) => Promise<T>): Promise<T> => {
    const { client, name } = await connect(url, place);
    try {
      return await work(client, name);
    } finally {
      await client.end();
    }
  };
  return {
    name: `the database ${describeDatabase(url)}`,
    read: (work) =>
      connected(async (client, name) => {
        await opening(name, place, () =>
          requireCurrent(client, name, region, 'Name a database that this program version has used.'),
        );
        await client.query(snapshot);
        return work(rowsOf(client));
      }),
    write: (work) =>
      connected(async (client, name) => {
        await opening(name, place, async () => {
          await migrate(client, name, region);
          await refuseUnlessOwner(client, name, place);
          await client.query(fill);
        });
        const result = await work(targetOf(client));
        await keep(client, name);
        return result;
      }),
  };
}

async function opening(name: string, place: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw openError(name, place, error);
  }
}

async function refuseUnlessOwner(client: pg.Client, name: string, place: string): Promise<void> {
  const { user, owner } = await readUser(client);
  if (!owner)
    throw new StoreOpenError(
      `The user ${user} does not own the tables of the database ${name}, and only their owner can copy into them. ` +
        `Name the owner in ${place}.`,
    );
}

async function keep(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(continueSequence);
    await client.query('COMMIT');
  } catch (cause) {
    const error = new StoreUnavailableError(`The database ${name} cannot be used: ${reasonOf(cause)}`, { cause });
    error.outcomeUnknown = true;
    throw error;
  }
}

function rowsOf(client: pg.Client): Rows {
  return {
    count: async ({ name }) => {
      const { rows } = await client.query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM ${name}`);
      return Number(rows[0]?.rows);
    },
    async *parts({ name, columns, key }) {
      const names = Object.entries(columns).map(([column, type]) => selected[type](column));
      await client.query(
        `DECLARE part NO SCROLL CURSOR FOR SELECT ${names.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`,
      );
      for (;;) {
        const text = `FETCH ${rowsOfPart} FROM part`;
        const { rows } = await client.query<[...Row]>({ text, rowMode: 'array' });
        if (rows.length === 0) break;
        yield rows;
      }
      await client.query('CLOSE part');
    },
  };
}

function targetOf(client: pg.Client): Target {
  return {
    ...rowsOf(client),
    clear: async ({ name }) => {
      await client.query(`DELETE FROM ${name}`);
    },
    load: async (table, rows) => {
      const refused = rows.find((row) => !canHoldAll(row));
      if (refused) {
        const key = table.key.map((column) => refused[Object.keys(table.columns).indexOf(column)]);
        throw new Error(`PostgreSQL cannot store the character U+0000 in its row ${key.join(' ')}`);
      }
      await client.query({ ...insertRows(table), values: columnsOf(table, rows) });
    },
  };
}
