/** Kysely builds and compiles the statements, connections run them; what the engines say differently is here. */
import {
  type Compilable,
  CompiledQuery,
  type Expression,
  Kysely,
  PostgresDialect,
  type SelectModifierNode,
  sql,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database } from '../database.ts';
import { type Access, all, count, type Statements } from '../statements.ts';

export interface Part extends Access, Dialect {
  /** Reads with one statement. */
  readonly list: <Row>(query: Compilable<Row>) => Promise<Row[]>;
}

interface Dialect {
  readonly db: Kysely<Database>;
  /** The time of leases and due times, plus milliseconds: of the database's clock, or of the caller if there is none. */
  readonly clock: (at: string, milliseconds?: number) => Expression<string>;
  /** Locks a table against other writers until the transaction ends. SQLite has one writer. */
  readonly lockTable: (table: keyof Database) => Statements<unknown>;
  /** Selects the rows of a JSON array, the one parameter, that have these columns of a table. */
  readonly selectJson: (table: keyof Database, columns: readonly string[]) => string;
  /** Sets the size of the cache of pages: rows of a large import are spread over the indexes. */
  readonly setCache: (kilobytes: number) => Statements<unknown>;
  /** Locks stored content against removal, or for it, until the transaction ends. */
  readonly lockContents: (how: 'shared' | 'exclusive') => Statements<unknown>;
}

/** A row of texts and numbers to insert. */
export type NewRow = Readonly<Record<string, string | number | null>>;

/** An arbitrary key that no other program on the same database uses for a lock. */
export const contentsLockKey = 7_305_804_419;

/** Leaves out locks of rows, because SQLite has one writer. */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node);
  }
}

class SqliteWithoutLocks extends SqliteDialect {
  override createQueryCompiler(): SqliteCompiler {
    return new SqliteCompiler();
  }
}

const unused = () => Promise.reject(new Error('Kysely runs no statement.'));
const sqlite = new Kysely<Database>({ dialect: new SqliteWithoutLocks({ database: unused }) });
const postgres = new Kysely<Database>({ dialect: new PostgresDialect({ pool: unused }) });

/** Runs SQL, and returns how many rows it returned or changed. */
export const raw = (text: string): Statements<number> => count({ compile: () => CompiledQuery.raw(text) });
/** Inserts rows with the same columns, except those whose key is taken, and returns the keys of the others. */
export function* insertNew(
  { selectJson }: Part,
  table: keyof Database,
  rows: readonly NewRow[],
  key: string,
): Statements<Set<unknown>> {
  if (rows.length === 0) return new Set();
  const columns = Object.keys(rows[0] ?? {});
  const into = `INSERT INTO ${table} (${columns.join(', ')}) ${selectJson(table, columns)}`;
  // In JSON, half of a surrogate pair would stay one, which is no text to the engines.
  const json = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));
  const query = CompiledQuery.raw(`${into} ON CONFLICT DO NOTHING RETURNING ${key} AS key`, [json]);
  const inserted = yield* all({ compile: () => query as CompiledQuery<{ key: unknown }> });
  return new Set(inserted.map((row) => row.key));
}

/** What an engine does not need. */
// oxlint-disable-next-line require-yield -- there is no statement
function* nothing(): Statements<void> {
  // SQLite has one writer, and PostgreSQL a cache of its own.
}

const dialects: Record<Access['engine'], Dialect> = {
  sqlite: {
    db: sqlite,
    clock: (at, milliseconds = 0) => sql<string>`${new Date(Date.parse(at) + milliseconds).toISOString()}`,
    selectJson: (_, columns) =>
      `SELECT ${columns.map((name) => `value ->> '${name}'`).join(', ')} FROM json_each(?) WHERE true`,
    setCache: (kilobytes) => raw(`PRAGMA cache_size = -${kilobytes}`),
    lockTable: nothing,
    lockContents: nothing,
  },
  postgres: {
    db: postgres,
    clock: (_, milliseconds = 0) => sql<string>`to_char(
      (statement_timestamp() + ${milliseconds}::float8 * interval '1 millisecond') AT TIME ZONE 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    selectJson: (table, columns) => `SELECT ${columns.join(', ')} FROM json_populate_recordset(NULL::${table}, $1)`,
    setCache: nothing,
    lockTable: (table) => raw(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`),
    lockContents: (how) => raw(`SELECT pg_advisory_xact_lock${how === 'shared' ? '_shared' : ''}(${contentsLockKey})`),
  },
};

export function partOn(access: Access): Part {
  return { ...access, ...dialects[access.engine], list: (query) => access.read(() => all(query)) };
}
