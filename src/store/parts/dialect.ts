/** Kysely builds and compiles the statements, connections run them; what the engines say differently is here. */
import {
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
import { type Access, all, count, type Run, type Statements } from '../statements.ts';

/** Methods of the store, each as the statements of its one transaction. */
type AsStatements = Record<string, (...parameters: never[]) => Statements<unknown>>;

type MethodsOf = <Methods extends AsStatements>(
  methods: Methods,
) => {
  [Name in keyof Methods]: Methods[Name] extends (...parameters: infer Parameters) => Statements<infer T>
    ? (...parameters: Parameters) => Promise<T>
    : never;
};

/** What a list is limited to: one organisation, if given, and a number of rows. */
export interface Selection {
  readonly organisationId?: string | undefined;
  readonly limit: number;
}

export interface Part extends Access, Dialect {
  /** Methods that read, from their statements. */
  readonly reads: MethodsOf;
  /** Methods that write, likewise. */
  readonly writes: MethodsOf;
}

interface Dialect {
  readonly db: Kysely<Database>;
  /** The time of leases and due times, plus milliseconds: of the database's clock, or of the caller if there is none. */
  readonly clock: (at: string, milliseconds?: number) => Expression<string>;
  /** Locks a table against other writers until the transaction ends. SQLite has one writer. */
  readonly lockTable: (table: keyof Database) => Statements<unknown>;
  /** The rows of a JSON array, the one parameter, that have these columns of a table. */
  readonly rowsOfJson: (table: keyof Database, columns: readonly string[]) => string;
  /** Locks stored content against removal, or for it, until the transaction ends. */
  readonly lockContents: (how: 'shared' | 'exclusive') => Statements<unknown>;
}

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

/**
 * Inserts rows of texts and numbers with the same columns, and returns the keys of those that were inserted or updated. They are inserted in
 * the order of their keys, so that two transactions with common keys cannot deadlock.
 */
export function* insertRows(
  { rowsOfJson }: Part,
  table: keyof Database,
  rows: readonly object[],
  key: string,
  { where = 'true', onConflict = 'DO NOTHING' } = {},
): Statements<Set<unknown>> {
  if (rows.length === 0) return new Set();
  const columns = Object.keys(rows[0] ?? {});
  const names = columns.join(', ');
  const source = `SELECT ${names} FROM ${rowsOfJson(table, columns)} WHERE ${where} ORDER BY ${key}`;
  // In JSON, half of a surrogate pair would stay one, which is no text to the engines.
  const json = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));
  const text = `INSERT INTO ${table} (${names}) ${source} ON CONFLICT ${onConflict} RETURNING ${key} AS key`;
  const query = CompiledQuery.raw(text, [json]) as CompiledQuery<{ key: unknown }>;
  return new Set((yield* all({ compile: () => query })).map((row) => row.key));
}

/** What SQLite does not need. */
// oxlint-disable-next-line require-yield -- there is no statement
function* nothing(): Statements<void> {
  // It has one writer.
}

const dialects: Record<Access['engine'], Dialect> = {
  sqlite: {
    db: sqlite,
    clock: (at, milliseconds = 0) => sql<string>`${new Date(Date.parse(at) + milliseconds).toISOString()}`,
    rowsOfJson: (_, columns) =>
      `(SELECT ${columns.map((name) => `value ->> '${name}' AS ${name}`).join(', ')} FROM json_each(?))`,
    lockTable: nothing,
    lockContents: nothing,
  },
  postgres: {
    db: postgres,
    clock: (_, milliseconds = 0) => sql<string>`to_char(
      (statement_timestamp() + ${milliseconds}::float8 * interval '1 millisecond') AT TIME ZONE 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    rowsOfJson: (table) => `json_populate_recordset(NULL::${table}, $1)`,
    lockTable: (table) => raw(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`),
    lockContents: (how) => raw(`SELECT pg_advisory_xact_lock${how === 'shared' ? '_shared' : ''}(${contentsLockKey})`),
  },
};

export function partOn(access: Access): Part {
  return {
    ...access,
    ...dialects[access.engine],
    reads: methodsRunBy(access.read),
    writes: methodsRunBy(access.write),
  };
}

function methodsRunBy(run: Run): MethodsOf {
  return (methods) => {
    const running = Object.entries(methods).map(([name, statements]) => {
      const method = (...parameters: never[]) => run(() => statements(...parameters));
      return [name, method] as const;
    });
    return Object.fromEntries(running) as never;
  };
}
