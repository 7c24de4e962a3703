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

/** Whether the setting of an organisation is still what it was when it was read with a credential. */
interface KeptSetting {
  isCurrent: boolean;
}

interface KeptCredential {
  credential: FoundCredential;
  setting: KeptSetting;
}

/** The rows that a connection keeps. Read them within a snapshot of the connection, or a transaction that writes, only. */
export class KeptRows {
  readonly #version: () => unknown;
  readonly #bySecret = new LRUCache<string, KeptCredential>({ max: mostRows });
  readonly #byId = new LRUCache<string, KeptCredential>({ max: mostRows });
  /** One that is not kept any more is not current, whatever has displaced it. */
  readonly #settings = new LRUCache<string, KeptSetting>({
    max: mostRows,
    dispose: (setting) => (setting.isCurrent = false),
  });
  readonly #revisions = new LRUCache<string, string>({ max: mostRows });
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

  /** The credential with this hash, with the setting of its organisation, which `settingOf` reads after an own write. */
  credential(hash: string, settingOf: (organisationId: string) => boolean): FoundCredential | undefined {
    const kept = this.#bySecret.get(hash);
    if (!kept || kept.setting.isCurrent) return kept?.credential;
    const { organisation_id: organisationId, prefetched } = kept.credential;
    const read = Object.freeze({ ...prefetched, verificationEnabled: settingOf(organisationId) });
    kept.credential = Object.freeze({ ...kept.credential, prefetched: read });
    kept.setting = this.#settingOf(organisationId);
    return kept.credential;
  }

  /** The rights of a credential, by its identifier. */
  rights(credentialId: string): CredentialWithRights | undefined {
    return this.#byId.get(credentialId)?.credential;
  }

  revision(organisationId: string, caseId: string): string | undefined {
    return this.#revisions.get(`${organisationId} ${caseId}`);
  }

  /** That there is no such credential is not kept, so that strangers do not displace the rows of clients. */
  keepCredential(hash: string, credential: FoundCredential): void {
    const kept = { credential, setting: this.#settingOf(credential.organisation_id) };
    this.#bySecret.set(hash, kept);
    this.#byId.set(credential.credential_id, kept);
  }

  #settingOf(organisationId: string): KeptSetting {
    let setting = this.#settings.get(organisationId);
    if (!setting) this.#settings.set(organisationId, (setting = { isCurrent: true }));
    return setting;
  }

  /** That there is no such case is not kept: its identifier may be of any length. */
  keepRevision(organisationId: string, caseId: string, revision: string): void {
    this.#revisions.set(`${organisationId} ${caseId}`, revision);
  }

  /** To be called after each own write, within its transaction: drops the setting of this organisation alone, or everything. */
  drop(settingOf?: string): void {
    if (settingOf !== undefined) this.#settings.delete(settingOf);
    else for (const rows of [this.#bySecret, this.#byId, this.#settings, this.#revisions]) rows.clear();
  }
}
