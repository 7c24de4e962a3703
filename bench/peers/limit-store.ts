/**
 * The store of the limit, with the program's file and durability. Rows are cached until SQLite's `data_version`, read
 * in each snapshot, shows another commit; its own updates change the cached rows.
 */
import { statSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { caseText } from '../../src/domain/case.ts';
import { type Credential, credentialState, type CredentialKind, hashesMatch } from '../../src/domain/credential.ts';
import { type CaseBeginning, recordOf, selectBeginning } from '../../src/store/case-texts/case-source.ts';
import { caseDialect } from '../../src/store/sqlite/requests.ts';
import { changeSetting, database, readSetting as readStoredSetting } from './peer-store.ts';

interface Setting {
  enabled?: boolean;
}

export interface Caller extends Omit<Credential, 'role' | 'created_at'> {
  readonly secret_sha256: Buffer;
  readonly may_read: 1 | null;
  readonly may_write: 1 | null;
  readonly featured: 1 | null;
  setting?: Setting;
}

export interface Update {
  readonly hash: Buffer;
  readonly enabled: boolean;
  readonly requestId: string;
}

const databaseFile = database.name;

const permission = (name: 'read' | 'write') =>
  `(SELECT 1 FROM role_permission p WHERE p.role = c.role AND permission = 'organisation_settings:${name}') AS may_${name}`;
// A join takes SQLite several times as long here as look-ups in subqueries.
const selectCaller = database.prepare<[Buffer], Caller>(`
  SELECT credential_id, organisation_id, kind, secret_sha256, expires_at, revoked_at,
    ${permission('read')}, ${permission('write')},
    (SELECT 1 FROM organisation_feature f WHERE f.organisation_id = c.organisation_id AND feature = 'verification') AS featured
  FROM credential c WHERE secret_sha256 = ?`);
const selectRevision = database
  .prepare<[string, string], string>(
    'SELECT revision FROM case_record JOIN case_revision USING (case_id) WHERE case_id = ? AND organisation_id = ?',
  )
  .pluck();
const selectCase = database.prepare<{ 1: string; 2: string }, CaseBeginning>(selectBeginning(caseDialect));
const dataVersion = database.prepare('PRAGMA data_version').pluck();
const begin = database.prepare('BEGIN');
const commit = database.prepare('COMMIT');

const maxRows = { max: 10_000 };
const callers = new LRUCache<string, Caller>(maxRows);
/** Those that are not kept any more are unknown to the callers that hold them. */
const settings = new LRUCache<string, Setting>({ ...maxRows, dispose: (setting) => delete setting.enabled });
const revisions = new LRUCache<string, string>(maxRows);
const texts = new LRUCache<string, { readonly revision: string; readonly text: string | Buffer }>({
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: ({ text }) => text.length + 600,
});
/** Longer texts are kept as bytes, which are not encoded anew. */
const maxStringCharacters = 16 * 1024;
let keptVersion: unknown;

const openedFile = statSync(databaseFile).ino;
const looksPresent = () => statSync(databaseFile, { throwIfNoEntry: false })?.ino === openedFile;
let isPresent = true;
setInterval(() => (isPresent = looksPresent()), 100).unref();

/** @throws {Error} if the database file was removed or replaced */
export function requireStore(): void {
  if (!isPresent && !(isPresent = looksPresent()))
    throw Object.assign(new Error('The database file was replaced.'), { code: 'SQLITE_IOERR' });
}

/** Runs concurrent reads on one snapshot. */
export function readTogether(work: () => void): void {
  begin.run();
  const version = dataVersion.get();
  if (version !== keptVersion) for (const rows of [callers, settings, revisions]) rows.clear();
  keptVersion = version;
  work();
  commit.run();
}

export function findCaller(hash: Buffer, kind: CredentialKind): Caller | undefined {
  const key = hash.toString('latin1');
  let row = callers.get(key);
  if (!row) {
    row = selectCaller.get(hash);
    if (!row) return undefined;
    callers.set(key, row);
  }
  return row.kind === kind && hashesMatch(row.secret_sha256, hash) && isActive(row) ? row : undefined;
}

const isActive = (row: Caller) => credentialState(row, new Date()) === 'active';

export function readSetting(caller: Caller): boolean {
  if (caller.setting?.enabled !== undefined) return caller.setting.enabled;
  const { organisation_id: organisationId } = caller;
  const setting = settings.get(organisationId) ?? { enabled: readStoredSetting(organisationId) };
  settings.set(organisationId, (caller.setting = setting));
  return setting.enabled === true;
}

export function readCase(organisationId: string, caseId: string): string | Buffer | undefined {
  const key = organisationId + caseId;
  const revision = revisions.get(key) ?? selectRevision.get(caseId, organisationId);
  if (revision === undefined) return undefined;
  revisions.set(key, revision);
  const kept = texts.get(key);
  if (kept?.revision === revision) return kept.text;
  const row = selectCase.get({ 1: caseId, 2: organisationId });
  if (!row) return undefined;
  const { before, after } = caseText(recordOf(row), row);
  const whole = `${before}${row.files ?? ''}${after}`;
  const text = whole.length > maxStringCharacters ? Buffer.from(whole) : whole;
  texts.set(key, { revision, text });
  return text;
}

const applyAll = database.transaction((updates: readonly Update[]) => updates.map(apply)).immediate;

/** Writes the updates of one moment in one commit. False marks one whose caller has lost the right to it. */
export function writeTogether(updates: readonly Update[]): boolean[] {
  settings.clear();
  return applyAll(updates);
}

function apply({ hash, enabled, requestId }: Update): boolean {
  const row = selectCaller.get(hash);
  if (!row || !isActive(row) || !row.may_write || !row.featured) return false;
  changeSetting({ organisationId: row.organisation_id, credentialId: row.credential_id, enabled, requestId });
  return true;
}
