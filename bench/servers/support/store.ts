/**
 * The store of the peers: the statements and the durability of the program's own SQLite store, called as directly as
 * the driver allows.
 */
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import type { CredentialKind } from '../../../src/domain/secret.ts';
import type { StoredCase } from './case.ts';
import { environment } from './environment.ts';

/** A credential, with only the columns for authentication. */
export interface CredentialRow {
  readonly credential_id: string;
  readonly organisation_id: string;
  readonly kind: CredentialKind;
  readonly secret_sha256: Buffer;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** A credential with its rights, each a JSON array. */
export interface CredentialWithRightsRow extends CredentialRow {
  readonly permissions: string;
  readonly features: string;
}

export interface SettingChange {
  readonly organisationId: string;
  readonly credentialId: string;
  readonly requestId: string;
  readonly enabled: boolean;
}

const database = new Sqlite(environment.databaseFile, { timeout: 5000 });
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');

const columns = 'credential_id, organisation_id, kind, expires_at, revoked_at, secret_sha256';
const selectCredential = database.prepare<[Buffer], CredentialRow>(
  `SELECT ${columns} FROM credential WHERE secret_sha256 = ?`,
);
const selectCredentialWithRights = database.prepare<[Buffer], CredentialWithRightsRow>(`
  SELECT ${columns},
    (SELECT json_group_array(permission) FROM role_permission p WHERE p.role = c.role) AS permissions,
    (SELECT json_group_array(feature) FROM organisation_feature f WHERE f.organisation_id = c.organisation_id) AS features
  FROM credential c WHERE secret_sha256 = ?`);
const selectSetting = database
  .prepare<[string], 0 | 1>('SELECT verification_enabled FROM organisation WHERE organisation_id = ?')
  .pluck();
const updateSetting = database.prepare('UPDATE organisation SET verification_enabled = ? WHERE organisation_id = ?');
const clearResults = database.prepare('DELETE FROM cached_analysis_result WHERE organisation_id = ?');
const insertEntry = database.prepare(`
  INSERT INTO audit_entry (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
  VALUES (?, ?, ?, ?, 'organisation.verification-setting.updated', ?, ?, ?, ?)`);
const selectCase = database.prepare<[string, string], Omit<StoredCase, 'files' | 'metadata'> & { metadata: string }>(`
  SELECT case_id, label, metadata, locked_at, created_at, updated_at
  FROM case_record WHERE case_id = ? AND organisation_id = ?`);
const selectFiles = database.prepare<[string], StoredCase['files'][number]>(`
  SELECT file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at
  FROM case_file WHERE case_id = ? ORDER BY uploaded_at, file_id`);

const changeSetting = database.transaction((change: SettingChange): void => {
  const before = readSetting(change.organisationId);
  let cleared = 0;
  if (before !== change.enabled) {
    updateSetting.run(Number(change.enabled), change.organisationId);
    cleared = clearResults.run(change.organisationId).changes;
  }
  insertEntry.run(
    randomUUID(),
    new Date().toISOString(),
    change.organisationId,
    change.credentialId,
    JSON.stringify({ enabled: before }),
    JSON.stringify({ enabled: change.enabled }),
    change.requestId,
    cleared,
  );
}).immediate;

const readCase = database.transaction((organisationId: string, caseId: string): StoredCase | undefined => {
  const record = selectCase.get(caseId, organisationId);
  return (
    record && {
      ...record,
      metadata: JSON.parse(record.metadata) as StoredCase['metadata'],
      files: selectFiles.all(caseId),
    }
  );
}).deferred;

function readSetting(organisationId: string): boolean {
  return selectSetting.get(organisationId) === 1;
}

export const store = {
  findCredential: (hash: Buffer) => selectCredential.get(hash),
  findCredentialWithRights: (hash: Buffer) => selectCredentialWithRights.get(hash),
  readSetting,
  /** Saves the setting, clears the cached results if it changed, and writes the audit entry, in one transaction. */
  changeSetting,
  /** Reads a case and its files from one snapshot. */
  readCase,
} as const;
