/** The store of the limit: the program's own file and durability, with one statement per request. */
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { caseText } from '../../../src/domain/case.ts';
import type { CredentialKind } from '../../../src/domain/secret.ts';
import { beginningOf, type FilesPart, type StateRow } from '../../../src/store/case-texts/case-source.ts';
import { selectBeginning } from '../../../src/store/sqlite/case-source.ts';
import { environment } from '../support/environment.ts';

/** The caller, and whether the operation is permitted: 1 or null. */
export interface Caller {
  readonly credential_id: string;
  readonly organisation_id: string;
  readonly kind: CredentialKind;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly permitted: 1 | null;
  readonly featured: 1 | null;
}

/**
 * The caller with the setting of its organisation, or with the revision of a case, if the case is the organisation's.
 */
export type SettingRow = Caller & { readonly enabled: 0 | 1 };
export type CaseRow = Caller & { readonly revision: string | null };

/** An update, and a callback once it is on disk, with false if the caller has lost the right to it. */
export interface Update {
  readonly secretSha256: Buffer;
  readonly enabled: boolean;
  readonly requestId: string;
  readonly done: (saved: boolean) => void;
}

const database = new Sqlite(environment.databaseFile, { timeout: 5000 });
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');

// A join takes SQLite several times as long here as a look-up in a subquery.
const caller = (permission: 'read' | 'write') => `
  credential_id, organisation_id, kind, expires_at, revoked_at,
  (SELECT 1 FROM role_permission p WHERE p.role = c.role AND permission = 'organisation_settings:${permission}') AS permitted,
  (SELECT 1 FROM organisation_feature f WHERE f.organisation_id = c.organisation_id AND feature = 'verification') AS featured`;
const settingOf = (permission: 'read' | 'write') =>
  database.prepare<[Buffer], SettingRow>(`
    SELECT ${caller(permission)},
      (SELECT verification_enabled FROM organisation o WHERE o.organisation_id = c.organisation_id) AS enabled
    FROM credential c WHERE secret_sha256 = ?`);
const findForRead = settingOf('read');
const findForWrite = settingOf('write');
const findForCase = database.prepare<[string, Buffer], CaseRow>(`
  SELECT credential_id, organisation_id, kind, expires_at, revoked_at, 1 AS permitted, 1 AS featured,
    (SELECT revision FROM case_revision WHERE case_id = (
      SELECT case_id FROM case_record r WHERE r.case_id = ? AND r.organisation_id = c.organisation_id)) AS revision
  FROM credential c WHERE secret_sha256 = ?`);
const findBeginning = database.prepare<string[], StateRow & FilesPart>(selectBeginning);
const save = database.prepare(`
  UPDATE organisation SET verification_enabled = ?, verification_changes = verification_changes + 1
  WHERE organisation_id = ?`);
const clear = database.prepare('DELETE FROM cached_analysis_result WHERE organisation_id = ?');
const addEntry = database.prepare(`
  INSERT INTO audit_entry (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
  VALUES (?, ?, ?, ?, 'organisation.verification-setting.updated', ?, ?, ?, ?)`);

const maxLengthOfString = 16 * 1024;
const texts = new LRUCache<string, { readonly revision: string; readonly text: string | Buffer }>({
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: ({ text }) => text.length + 600,
});

export const findSetting = (secretSha256: Buffer, permission: 'read' | 'write') =>
  (permission === 'read' ? findForRead : findForWrite).get(secretSha256);
export const findCase = (secretSha256: Buffer, caseId: string) => findForCase.get(caseId, secretSha256);

/** Whether a credential is of this kind and currently valid. */
export function isValid({ kind, expires_at: expires, revoked_at: revoked }: Caller, wanted: CredentialKind): boolean {
  return kind === wanted && revoked === null && (expires === null || Date.parse(expires) > Date.now());
}

/** The text of a case of the caller, cached with its revision. */
export function readText(
  { organisation_id: organisationId, revision }: CaseRow,
  caseId: string,
): string | Buffer | undefined {
  if (revision === null) return undefined;
  const key = organisationId + caseId;
  const kept = texts.get(key);
  if (kept?.revision === revision) return kept.text;
  const row = findBeginning.get(caseId, organisationId, caseId, organisationId);
  if (!row) return undefined;
  const { record, beginning } = beginningOf(row);
  const { before, after } = caseText(record, [beginning]);
  const whole = `${before}${beginning.files ?? ''}${after}`;
  const text = whole.length > maxLengthOfString ? Buffer.from(whole) : whole;
  texts.set(key, { revision, text });
  return text;
}

const begin = database.prepare('BEGIN');
const commit = database.prepare('COMMIT');

/** Runs the reads of one moment on one snapshot. */
export function readTogether(work: () => void): void {
  begin.run();
  work();
  commit.run();
}

const applyAll = database.transaction((updates: readonly Update[]) => updates.map(apply)).immediate;

/** Writes the updates of one moment in one commit. */
export function writeTogether(updates: readonly Update[]): void {
  const saved = applyAll(updates);
  updates.forEach(({ done }, index) => {
    done(saved[index] === true);
  });
}

function apply({ secretSha256, enabled, requestId }: Update): boolean {
  const row = findForWrite.get(secretSha256);
  if (!row || !isValid(row, 'api-key') || !row.permitted || !row.featured) return false;
  const before = row.enabled === 1;
  let cleared = 0;
  if (before !== enabled) {
    save.run(Number(enabled), row.organisation_id);
    cleared = clear.run(row.organisation_id).changes;
  }
  const caller = [row.organisation_id, row.credential_id];
  const values = [`{"enabled":${before}}`, `{"enabled":${enabled}}`];
  addEntry.run(randomUUID(), new Date().toISOString(), ...caller, ...values, requestId, cleared);
  return true;
}
