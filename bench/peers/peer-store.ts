/**
 * The store of the peers: the statements and the durability of the program's SQLite store, called directly for each
 * request.
 */
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { type Case, type CaseRecord, describeCase, type FileSummary } from '../../src/domain/case.ts';
import type { Credential } from '../../src/domain/credential.ts';

/** A credential with its rights, each a JSON array. */
export interface CredentialRow extends Omit<Credential, 'role' | 'created_at'> {
  readonly secret_sha256: Buffer;
  readonly permissions: string;
  readonly features: string;
}

export interface SettingChange {
  readonly organisationId: string;
  readonly credentialId: string;
  readonly requestId: string;
  readonly enabled: boolean;
}

export const database = new Sqlite(String(process.env['DATABASE_FILE']), { timeout: 5000 });
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');

const selectCredential = database.prepare<[Buffer], CredentialRow>(`
  SELECT credential_id, organisation_id, kind, expires_at, revoked_at, secret_sha256,
    (SELECT json_group_array(permission) FROM role_permission p WHERE p.role = c.role) AS permissions,
    (SELECT json_group_array(feature) FROM organisation_feature f WHERE f.organisation_id = c.organisation_id) AS features
  FROM credential c WHERE secret_sha256 = ?`);
const selectSetting = database
  .prepare<[string], 0 | 1>('SELECT verification_enabled FROM organisation WHERE organisation_id = ?')
  .pluck();
const updateSetting = database.prepare(`
  UPDATE organisation SET verification_enabled = ?, verification_changes = verification_changes + 1
  WHERE organisation_id = ?`);
const clearResults = database.prepare('DELETE FROM cached_analysis_result WHERE organisation_id = ?');
const insertEntry = database.prepare(`
  INSERT INTO audit_entry (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
  VALUES (?, ?, ?, ?, 'organisation.verification-setting.updated', ?, ?, ?, ?)`);
const selectCase = database.prepare<[string, string], CaseRecord & { metadata: string }>(`
  SELECT case_id, label, metadata, locked_at, created_at, updated_at
  FROM case_record WHERE case_id = ? AND organisation_id = ?`);
const selectFiles = database.prepare<[string], FileSummary>(`
  SELECT file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at
  FROM case_file WHERE case_id = ? ORDER BY uploaded_at, file_id`);

export const findCredential = (hash: Buffer) => selectCredential.get(hash);
export const readSetting = (organisationId: string) => selectSetting.get(organisationId) === 1;

/** Saves the setting, clears the cached results if it changed, and writes the audit entry. */
export function changeSetting({ organisationId, credentialId, requestId, enabled }: SettingChange): void {
  const before = readSetting(organisationId);
  let cleared = 0;
  if (before !== enabled) {
    updateSetting.run(Number(enabled), organisationId);
    cleared = clearResults.run(organisationId).changes;
  }
  const values = [JSON.stringify({ enabled: before }), JSON.stringify({ enabled })];
  insertEntry.run(randomUUID(), new Date().toISOString(), organisationId, credentialId, ...values, requestId, cleared);
}

export const saveSetting = database.transaction(changeSetting).immediate;

/** Reads a case and its files from one snapshot. */
export const readCase = database.transaction((organisationId: string, caseId: string): Case | undefined => {
  const record = selectCase.get(caseId, organisationId);
  if (!record) return undefined;
  const metadata = JSON.parse(record.metadata) as Case['metadata'];
  return describeCase({ ...record, metadata, files: selectFiles.all(caseId) });
}).deferred;
