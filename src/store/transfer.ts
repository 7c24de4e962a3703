/**
 * Moves all data from one store to another, of whatever engines. Both sides give a row in the same form, so one digest
 * a table shows whether they hold the same. The target keeps all or, if anything differs at the end, nothing.
 */
import { createHash } from 'node:crypto';
import { type Row, type Table, tables } from './tables.ts';

/** The rows of a store at one moment. */
export interface Rows {
  count(table: Table): Promise<number>;
  /** Every row in the order of the key, in parts that fit into memory. */
  parts(table: Table): AsyncIterable<Row[]>;
}

/** A store that is being filled. */
export interface Target extends Rows {
  clear(table: Table): Promise<void>;
  load(table: Table, rows: readonly Row[]): Promise<void>;
}

/** A store as the source or the target of a copy. Each method opens it and closes it. */
export interface Transferable {
  /** Where it is, for people; it holds no secret. */
  readonly name: string;
  /** The data directory that it is in, if it is a file. */
  readonly dataDir?: string;
  /** @throws {StoreOpenError} if it does not exist or is of another version */
  read<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
  /**
   * Makes it if it does not exist. What `work` does is kept if it resolves, and undone otherwise.
   * @throws {StoreOpenError} if it cannot be opened
   */
  write<T>(work: (target: Target) => Promise<T>): Promise<T>;
}

/** How many rows a table has, and the SHA-256 of them all. */
export interface Digest {
  rows: number;
  sha256: string;
}

/** What was read of a table at its source, and what the target holds of it. */
export interface TableCopy {
  table: string;
  source: Digest;
  target: Digest;
}

/** A copy is refused or fails; the target is as it was. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
  /** What was compared, if the two sides differ. */
  readonly copies: readonly TableCopy[];

  constructor(message: string, { copies = [], cause }: { copies?: TableCopy[]; cause?: unknown } = {}) {
    super(message, { cause });
    this.copies = copies;
  }
}

const all = Object.values(tables);

/** How many rows a copy will move. */
export async function countRows(source: Transferable): Promise<number> {
  return source.read(async (rows) => {
    let total = 0;
    for (const table of all) total += await rows.count(table);
    return total;
  });
}

/**
 * Copies everything into an empty store, and compares both sides before the copy is kept. `onRows` is called with how many rows
 * have been copied.
 * @throws {CopyError} if the target holds data already, a row does not fit into it, or the two sides differ
 */
export async function copyStore(
  source: Transferable,
  target: Transferable,
  onRows: (copied: number) => void = () => undefined,
): Promise<TableCopy[]> {
  return source.read((from) =>
    target.write(async (to) => {
      if ((await to.count(tables.organisation)) > 0)
        throw new CopyError(`Nothing is copied: ${target.name} holds data already. Name a store that is empty.`);
      // A new store has the roles that it came with; the source's own take their place.
      for (const table of [tables.rolePermission, tables.role]) await to.clear(table);
      let copied = 0;
      const copies: TableCopy[] = [];
      for (const table of all) {
        const load = async (part: Row[]) => {
          await to.load(table, part);
          onRows((copied += part.length));
        };
        try {
          copies.push({
            table: table.name,
            source: await digest(from.parts(table), load),
            target: await digest(to.parts(table)),
          });
        } catch (error) {
          const { message } = error as Error;
          throw new CopyError(`Nothing is copied: the table ${table.name} cannot be: ${message}.`, { cause: error });
        }
      }
      if (copies.some((copy) => !isSame(copy)))
        throw new CopyError(`Nothing is copied: ${target.name} does not hold what was sent to it.`, { copies });
      return copies;
    }),
  );
}

/** Whether both sides of a copy hold the same. */
export function isSame({ source, target }: TableCopy): boolean {
  return source.rows === target.rows && source.sha256 === target.sha256;
}

async function digest(parts: AsyncIterable<Row[]>, onPart?: (part: Row[]) => Promise<void>): Promise<Digest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const part of parts) {
    for (const row of part) hash.update(`${JSON.stringify(row)}\n`);
    rows += part.length;
    await onPart?.(part);
  }
  return { rows, sha256: hash.digest('hex') };
}
