import type pg from 'pg';
import type { Region } from '../../domain/region.ts';
import { StoreOpenError, StoreUnavailableError } from '../errors.ts';
import type { Row, Rows, Target, Transferable } from '../transfer.ts';
import { canHold } from './connection.ts';
import { describeDatabase, withClient } from './database-url.ts';
import { reasonOf } from './faults.ts';
import { migrate, requireCurrent } from './prepare.ts';
import { readUser } from './rights.ts';

const rowsOfPart = 500;

/** How a type is read as a cell, and written from an array of cells. `pg` returns a bigint as text; all those here fit. */
const asIs = (name: string) => name;
const asNumber = { read: (name: string) => `${name}::float8`, array: 'bigint', write: asIs };
const types: Record<string, { read: (name: string) => string; array: string; write: (name: string) => string }> = {
  text: { read: asIs, array: 'text', write: asIs },
  int4: asNumber,
  int8: asNumber,
  bool: { read: (name) => `${name}::integer`, array: 'integer', write: (name) => `${name} <> 0` },
  bytea: { read: (name) => `encode(${name}, 'hex')`, array: 'text', write: (name) => `decode(${name}, 'hex')` },
};

const selectColumns = `
  SELECT attname AS name, coalesce(base.typname, own.typname) AS type
  FROM pg_attribute JOIN pg_type own ON own.oid = atttypid LEFT JOIN pg_type base ON base.oid = own.typbasetype
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname`;

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
  return {
    name: `the database ${describeDatabase(url)}`,
    read: (work) =>
      withClient(url, place, async (client, name, opening) => {
        const advice = 'Name a database that this program version has used.';
        await opening(() => requireCurrent(client, name, region, advice));
        await client.query(snapshot);
        return work(rowsOf(client));
      }),
    write: (work) =>
      withClient(url, place, async (client, name, opening) => {
        await opening(async () => {
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

async function columnsOf(client: pg.Client, table: string) {
  const { rows } = await client.query<{ name: string; type: string }>(selectColumns, [table]);
  return rows.map(({ name, type }) => {
    const forms = types[type];
    if (!forms) throw new Error(`it has a column of the type ${type}`);
    return { name, ...forms };
  });
}

function rowsOf(client: pg.Client): Rows {
  return {
    count: async (table) => {
      const { rows } = await client.query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM ${table}`);
      return Number(rows[0]?.rows);
    },
    async *parts({ name: table, key }) {
      const cells = (await columnsOf(client, table)).map(({ name, read }) => read(name));
      await client.query(
        `DECLARE part NO SCROLL CURSOR FOR SELECT ${cells.join(', ')} FROM ${table} ORDER BY ${key.join(', ')}`,
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
    clear: async (table) => {
      await client.query(`DELETE FROM ${table}`);
    },
    load: async ({ name: table, key }, rows) => {
      const columns = await columnsOf(client, table);
      const names = columns.map(({ name }) => name);
      const refused = rows.find((row) => row.some((cell) => typeof cell === 'string' && !canHold(cell)));
      if (refused) {
        const id = key.map((column) => refused[names.indexOf(column)]);
        throw new Error(`PostgreSQL cannot store the character U+0000 in its row ${id.join(' ')}`);
      }
      const arrays = columns.map(({ array }, index) => `$${index + 1}::${array}[]`);
      const text = `
        INSERT INTO ${table} (${names.join(', ')}) OVERRIDING SYSTEM VALUE
        SELECT ${columns.map(({ name, write }) => write(name)).join(', ')}
        FROM unnest(${arrays.join(', ')}) AS given (${names.join(', ')})`;
      await client.query(
        text,
        columns.map((_, index) => rows.map((row) => row[index] ?? null)),
      );
    },
  };
}
