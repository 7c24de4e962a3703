/**
 * Rows that requests read again and again, kept as long as nobody has written. Within the snapshot of a read, SQLite's
 * `data_version` tells whether another connection of any process has committed; each own write drops what it changes.
 */
import type { Database } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Prefetched } from '../../domain/principal.ts';
import type { CredentialWithRights } from '../store.ts';

export type FoundCredential = CredentialWithRights & { readonly prefetched: Prefetched };

/** How many rows of a kind are kept: those used last. */
const mostRows = 10_000;

/** Whether the setting of an organisation is still what it was when its credentials were read. */
interface KeptSetting {
  isCurrent: boolean;
}

interface KeptCredential {
  readonly credential: FoundCredential;
  readonly setting: KeptSetting;
}

/** The rows that a connection keeps. Read them within a snapshot of the connection only. */
export class KeptRows {
  readonly #version: () => unknown;
  readonly #credentials = new LRUCache<string, KeptCredential>({ max: mostRows });
  /** One that is not kept any more is not current, whatever has displaced it. */
  readonly #settings = new LRUCache<string, KeptSetting>({
    max: mostRows,
    dispose: (setting) => (setting.isCurrent = false),
  });
  readonly #revisions = new LRUCache<string, string>({ max: mostRows });
  #versionKept: unknown;
  #isConfirmed = false;

  constructor(database: Database) {
    const version = database.prepare('PRAGMA data_version').pluck();
    this.#version = () => version.get();
  }

  beginSnapshot(): void {
    this.#isConfirmed = false;
  }

  credential(hash: string): FoundCredential | undefined {
    this.#confirm();
    const kept = this.#credentials.get(hash);
    return kept?.setting.isCurrent ? kept.credential : undefined;
  }

  revision(organisationId: string, caseId: string): string | undefined {
    this.#confirm();
    return this.#revisions.get(`${organisationId} ${caseId}`);
  }

  /** That there is no such credential is not kept, so that strangers do not displace the rows of clients. */
  keepCredential(hash: string, credential: FoundCredential): void {
    const { organisation_id: organisationId } = credential;
    let setting = this.#settings.get(organisationId);
    if (!setting) this.#settings.set(organisationId, (setting = { isCurrent: true }));
    this.#credentials.set(hash, { credential, setting });
  }

  /** That there is no such case is not kept: its identifier may be of any length. */
  keepRevision(organisationId: string, caseId: string, revision: string): void {
    this.#revisions.set(`${organisationId} ${caseId}`, revision);
  }

  /** To be called after each own write, also one that failed: drops what holds the setting of this organisation, or everything. */
  drop(settingOf?: string): void {
    if (settingOf !== undefined) this.#settings.delete(settingOf);
    else for (const rows of [this.#credentials, this.#settings, this.#revisions]) rows.clear();
  }

  /** Looks once a snapshot, which this may begin, whether another connection has committed. */
  #confirm(): void {
    if (this.#isConfirmed) return;
    const version = this.#version();
    if (version !== this.#versionKept) this.drop();
    this.#versionKept = version;
    this.#isConfirmed = true;
  }
}
