/** Kysely builds and compiles the statements, connections run them. The tables, and what the engines say differently. */
import {
  CompiledQuery,
  type Expression,
  type Generated,
  Kysely,
  PostgresDialect,
  type SelectModifierNode,
  sql,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely';
import type { AuditEntry } from '../../domain/audit.ts';
import type { CaseRecord, FileSummary } from '../../domain/case.ts';
import type { Credential } from '../../domain/credential.ts';
import type { Organisation, Role } from '../../domain/organisation.ts';
import type { RegisteredCorporation, RegisterName } from '../staged-imports.ts';
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
  override createQueryCompiler = () => new SqliteCompiler();
}

const unused = () => Promise.reject(new Error('Kysely runs no statement.'));
const sqlite = new Kysely<Database>({ dialect: new SqliteWithoutLocks({ database: unused }) });
const postgres = new Kysely<Database>({ dialect: new PostgresDialect({ pool: unused }) });

/** Runs SQL, and returns how many rows it returned or changed. */
export const raw = (text: string): Statements<number> => count({ compile: () => CompiledQuery.raw(text) });

/**
 * Inserts rows of texts and numbers with the same columns, and returns the keys of those that were inserted or updated.
 * They are inserted in the order of their keys, so that two transactions with common keys cannot deadlock.
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

/** An instant: ISO 8601 in UTC with milliseconds. */
type Instant = string;
/** A row in which these fields are JSON. */
type WithJson<Row, Fields extends keyof Row> = Omit<Row, Fields> & Record<Fields, string>;

export interface Database {
  organisation: Omit<Organisation, 'features'> & { verification_changes: Generated<number> };
  organisation_feature: { organisation_id: string; feature: string };
  role: Pick<Role, 'role'>;
  role_permission: { role: string; permission: string };
  credential: Credential & { secret_sha256: Uint8Array };
  credential_use: { credential_id: string; last_used_at: Instant };
  case_record: WithJson<CaseRecord, 'metadata'> & { organisation_id: string };
  case_file: FileSummary & { case_id: string };
  analysis: {
    file_id: string;
    organisation_id: string;
    uploaded_at: Instant;
    content_sha256: Uint8Array;
    attempts: Generated<number>;
    /** When it was last taken, or got a cached result; null until then. */
    started_at: Instant | null;
    /** Whether verification checks ran. */
    verification_enabled: boolean | null;
    verification_changes: number | null;
    lease_token: string | null;
    lease_expires_at: Instant | null;
    /** Whether it got the cached result of another file with the same content. */
    from_cache: boolean | null;
    /** JSON: an `AnalysisResult`, an `AnalysisFailure`, and the later responses of registries, a list of `Evidence`. */
    result: string | null;
    failure: string | null;
    later_evidence: string | null;
  };
  evidence_recheck: {
    file_id: string;
    organisation_id: string;
    due_at: Instant;
    attempts: Generated<number>;
    lease_token: string | null;
  };
  /** The result, as JSON, that a file of the same content gets without being analysed again (decision D27). */
  cached_analysis_result: { organisation_id: string; content_sha256: Uint8Array; result: string; created_at: Instant };
  audit_entry: WithJson<Omit<AuditEntry, 'credential_id' | 'request_id'>, 'before' | 'after'> & {
    sequence: Generated<number>;
    credential_id: string | null;
    request_id: string | null;
  };
  company_register: {
    generation: Generated<number>;
    register: RegisterName;
    state: 'importing' | 'current' | 'outdated';
    source: string | null;
    companies: number | null;
    imported_at: Instant | null;
  };
  registry_company: RegisteredCorporation & { generation: number };
  /** Its rows are stored in their own order, because each company would change a different page of an index. */
  registry_business_number: { generation: number; business_number: string; company_number: string };
}
