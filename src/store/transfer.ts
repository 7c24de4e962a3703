/**
 * Copies all data from one store to another, on any engines. Both sides return rows in the same form, so one digest per
 * table shows whether they are equal. If anything differs at the end, the target is rolled back.
 */
import { createHash } from 'node:crypto';
import { OperatorError } from '../domain/errors.ts';

/** A row in the form common to all engines: bytes as `\\x` and hexadecimal digits, booleans as 0 or 1. */
export type Row = Readonly<Record<string, string | number | null>>;

/**
 * What is copied, by primary key: each table after those that it references. Registers are imported again, and revisions
 * begin anew.
 */
const keys = {
  organisation: 'organisation_id',
  organisation_feature: 'organisation_id, feature',
  role: 'role',
  role_permission: 'role, permission',
  credential: 'credential_id',
  credential_use: 'credential_id',
  case_record: 'case_id',
  case_file: 'case_id, uploaded_at, file_id',
  analysis: 'file_id',
  evidence_recheck: 'file_id',
  cached_analysis_result: 'organisation_id, content_sha256',
  audit_entry: 'sequence',
};

export interface Rows {
  /** In parts that fit into memory. */
  select(query: string): AsyncIterable<Row[]>;
  delete(table: string): Promise<void>;
  insert(table: string, rows: readonly Row[]): Promise<void>;
}

/** How many rows are read at once. */
export const rowsOfPart = 500;

/** A store as the source or the target of a copy. Each method opens and closes it. */
export interface Transferable {
  /** The location of the data, for people; it contains no secret. */
  readonly name: string;
  /** The data directory of the store, if it is a file. */
  readonly dataDir?: string;
  /** @throws {StoreOpenError} if the store does not exist or has another version */
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  /** Creates the store if it does not exist. Commits if `work` resolves. @throws {StoreOpenError} */
  write<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}

interface Digest {
  rows: number;
  sha256: string;
}

export interface TableCopy {
  table: string;
  source: Digest;
  target: Digest;
}

/** A copy is refused or has failed; the target is unchanged. */
export class CopyError extends OperatorError {
  override readonly name = 'CopyError';
  /** The compared digests, if the two sides differ. */
  readonly copies: readonly TableCopy[];

  constructor(message: string, { copies = [], cause }: { copies?: TableCopy[]; cause?: unknown } = {}) {
    super(message, { cause });
    this.copies = copies;
  }
}

export async function countOf(rows: Rows, ...tables: string[]): Promise<number> {
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`);
  let count = 0;
  for await (const [row] of rows.select(`SELECT ${counts.join(' + ')} AS rows`)) count = Number(row?.['rows']);
  return count;
}

export async function countRows(source: Transferable): Promise<number> {
  return source.read((rows) => countOf(rows, ...Object.keys(keys)));
}

/** `onRows` is called with the number of rows copied so far. @throws {CopyError} if nothing was copied */
export async function copyStore(
  source: Transferable,
  target: Transferable,
  onRows: (copied: number) => void = () => undefined,
): Promise<TableCopy[]> {
  return source.read((from) =>
    target.write(async (to) => {
      if ((await countOf(to, 'organisation')) > 0)
        throw new CopyError(`Nothing was copied: ${target.name} already contains data. Name an empty store.`);
      // A new store contains the default roles; replace them with the source's.
      for (const table of ['role_permission', 'role']) await to.delete(table);
      let copied = 0;
      const copies: TableCopy[] = [];
      for (const [table, key] of Object.entries(keys)) {
        const load = async (part: Row[]) => {
          await to.insert(table, part);
          onRows((copied += part.length));
        };
        const select = `SELECT * FROM ${table} ORDER BY ${key}`;
        try {
          copies.push({
            table,
            source: await digest(from.select(select), load),
            target: await digest(to.select(select)),
          });
        } catch (cause) {
          const { message } = cause as Error;
          throw new CopyError(`Nothing was copied: the table ${table} cannot be copied: ${message}.`, { cause });
        }
      }
      if (copies.some((copy) => !isSame(copy)))
        throw new CopyError(`Nothing was copied: the data in ${target.name} differs from the source.`, { copies });
      return copies;
    }),
  );
}

export function isSame({ source, target }: TableCopy): boolean {
  return source.rows === target.rows && source.sha256 === target.sha256;
}

async function digest(parts: AsyncIterable<Row[]>, onPart?: (part: Row[]) => Promise<void>): Promise<Digest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const part of parts) {
    for (const row of part) hash.update(`${JSON.stringify(row, Object.keys(row).sort())}\n`);
    rows += part.length;
    await onPart?.(part);
  }
  return { rows, sha256: hash.digest('hex') };
}
