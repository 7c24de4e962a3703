import type { Cell, ColumnType, Row, Table } from '../tables.ts';
import { prepared, type Statement } from './statement.ts';

const arrayTypes = { text: 'text', integer: 'bigint', boolean: 'integer', bytes: 'text' };

const stored: Record<ColumnType, (name: string) => string> = {
  text: (name) => name,
  integer: (name) => name,
  boolean: (name) => `${name} <> 0`,
  bytes: (name) => `decode(${name}, 'hex')`,
};

/** A statement that inserts any number of rows. Its parameters are one array per column, as `columnsOf` returns. */
export function insertRows({ name, columns }: Table, ending = ''): Statement {
  const names = Object.keys(columns);
  const types = Object.values(columns);
  return prepared(`
    INSERT INTO ${name} (${names.join(', ')}) OVERRIDING SYSTEM VALUE
    SELECT ${Object.entries(columns)
      .map(([column, type]) => stored[type](column))
      .join(', ')}
    FROM unnest(${types.map((type, index) => `$${index + 1}::${arrayTypes[type]}[]`).join(', ')})
      AS given (${names.join(', ')}) ${ending}`);
}

/** Transposes rows into columns. */
export function columnsOf({ columns }: Table, rows: readonly Row[]): Cell[][] {
  return Object.keys(columns).map((_, index) => rows.map((row) => row[index] ?? null));
}

/** The cells of a row, in the order of the table's columns. */
export function rowOf(table: Table, values: Record<string, Cell>): Row {
  return Object.keys(table.columns).map((name) => values[name] ?? null);
}

/** Splits a list into parts of at most this length. */
export function* parts<T>(list: readonly T[], length: number): Generator<T[]> {
  for (let start = 0; start < list.length; start += length) yield list.slice(start, start + length);
}
