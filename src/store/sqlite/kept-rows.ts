/**
 * Rows that requests read again and again, kept as long as nobody has written. Within the snapshot of a read, SQLite's
 * `data_version` tells whether another connection of any process has committed; each own write drops what it changes.
 */
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { CredentialWithRights } from '../store.ts';

/** Of each kind, so many rows are kept: those used last. */
const rows = <Row extends object | string | boolean>() => new LRUCache<string, Row>({ max: 10_000 });

/**
 * The rows that a connection keeps. Read them within a snapshot of the connection, or a transaction that writes, only, and
 * add to them within a snapshot only. That there is no such row is not kept, so that strangers displace no rows of clients.
 */
export class KeptRows {
  /** By the hash of the secret, and by their identifier. */
  readonly credentials = rows<CredentialWithRights>();
  readonly rights = rows<CredentialWithRights>();
  /** The setting of an organisation. */
  readonly settings = rows<boolean>();
  /** By organisation and case. */
  readonly revisions = rows<string>();
  readonly #version: () => unknown;
  #versionKept: unknown;

  constructor(database: Database) {
    const version = database.prepare('PRAGMA data_version').pluck();
    this.#version = () => version.get();
  }

  /** To be called first in a snapshot, which this begins, or a transaction that writes: has another connection committed? */
  confirm(): void {
    const version = this.#version();
    if (version !== this.#versionKept) this.drop();
    this.#versionKept = version;
  }

  /** To be called after each own write, within its transaction: drops the setting of this organisation alone, or everything. */
  drop(settingOf?: string): void {
    if (settingOf !== undefined) this.settings.delete(settingOf);
    else for (const kept of [this.credentials, this.rights, this.settings, this.revisions]) kept.clear();
  }
}

/** A row that is kept or, if there is one, read and then kept. */
export function keep<Row extends object | string | boolean>(
  kept: LRUCache<string, Row>,
  key: string,
  read: () => Row | undefined,
): Row | undefined {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const found = read();
  if (found !== undefined) kept.set(key, found);
  return found;
}
