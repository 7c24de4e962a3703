import pg from 'pg';
import type { Region } from '../../domain/region.ts';
import { StoreOpenError } from '../errors.ts';
import { type Row, type Rows, rowsOfPart, type Transferable } from '../transfer.ts';
import { commit } from './connection.ts';
import { describeDatabase, translate, withClient } from './client.ts';
import { migrate, readUser, requireCurrent } from './prepare.ts';

const { BOOL, INT4, INT8 }: Record<string, number> = pg.types.builtins;

/** Reads values as cells: bytes are text already, and each bigint of the tables fits into a number. */
const cells: pg.CustomTypesConfig = {
  getTypeParser: (type: number) => {
    if (type === BOOL) return (text: string) => Number(text === 't');
    return [INT4, INT8].includes(type) ? Number : (text: string) => text;
  },
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
  return {
    name: `the database ${describeDatabase(url)}`,
    read: (work) =>
      withClient({ url, place }, async (client, name) => {
        await requireCurrent(client, name, region, 'Name a database that this program version has used.');
        await client.query(snapshot);
        return work(rowsOf(client));
      }),
    write: (work) =>
      withClient({ url, place }, async (client, name) => {
        await migrate(client, name, region);
        const { user, owner } = await readUser(client);
        if (!owner)
          throw new StoreOpenError(
            `The user ${user} does not own the tables of the database ${name}, and only their owner can copy into them. ` +
              `Name the owner in ${place}.`,
          );
        await client.query(fill);
        const result = await work(rowsOf(client));
        await commit(() =>
          client.query(`${continueSequence}; COMMIT`).catch((error: unknown) => {
            throw translate(error, name);
          }),
        );
        return result;
      }),
  };
}

function rowsOf(client: pg.Client): Rows {
  return {
    async *select(query) {
      await client.query(`DECLARE part NO SCROLL CURSOR FOR ${query}`);
      const fetch = async () => (await client.query<Row>({ text: `FETCH ${rowsOfPart} FROM part`, types: cells })).rows;
      for (let rows = await fetch(); rows.length > 0; rows = await fetch()) yield rows;
      await client.query('CLOSE part');
    },
    delete: async (table) => {
      await client.query(`DELETE FROM ${table}`);
    },
    insert: async (table, rows) => {
      await client.query(
        `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, $1)`,
        [JSON.stringify(rows)],
      );
    },
  };
}
