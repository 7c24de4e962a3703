/**
 * The data of the bench. All of it follows from numbers: the number of a case determines its identifier, its organisation
 * and its files, so that the load generator needs no list of them. It is made once for each size.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { generateSecret, hashSecret } from '../src/domain/secret.ts';
import { openDatabase } from '../src/store/sqlite/open.ts';
import { folders } from './machine.ts';
import { caseCount, identifierOf, organisations, ownerOf } from './plan.ts';

export type Size = keyof typeof caseCount;

/** What requests need beside the plan. */
export interface BenchData {
  readonly cases: number;
  /** The SQLite file, which is never changed: each server uses a copy. */
  readonly databaseFile: string;
  /** By number of the organisation: the secrets of an owner's API key and of an access token. */
  readonly apiKeys: readonly string[];
  readonly accessTokens: readonly string[];
}

type Secrets = Pick<BenchData, 'apiKeys' | 'accessTokens'>;

const day = 24 * 60 * 60 * 1000;
const firstDay = Date.parse('2025-01-01T08:00:00.000Z');
const createdAt = new Date(firstDay).toISOString();
const cachedResultsOfOrganisation = 10;
const statuses = ['analysis_complete', 'analysis_complete', 'analysis_complete', 'analysis_failed', 'analysing'];
const kinds = [
  ['certificate-of-incorporation', 'pdf', 'application/pdf'],
  ['vat-registration', 'pdf', 'application/pdf'],
  ['invoice', 'png', 'image/png'],
  ['bank-statement', 'jpeg', 'image/jpeg'],
] as const;

/**
 * The data of a size, which is made if there is none of this version of the program.
 * @throws {Error} if the signal aborts; what is unfinished is made anew the next time
 */
export async function provideData(size: Size, signal: AbortSignal, tell: (line: string) => void): Promise<BenchData> {
  const cases = caseCount[size];
  const databaseFile = join(folders.reports, 'data', size, 'document-analysis-uk.sqlite');
  const secretsFile = join(dirname(databaseFile), 'secrets.json');
  const version = versionOfData();
  if (existsSync(secretsFile)) {
    const known = JSON.parse(readFileSync(secretsFile, 'utf8')) as Secrets & { version: string };
    if (known.version === version) return { cases, databaseFile, ...known };
  }
  tell(`Making ${cases.toLocaleString('en')} cases (once)`);
  await rm(dirname(databaseFile), { recursive: true, force: true });
  await mkdir(dirname(databaseFile), { recursive: true, mode: 0o700 });
  const unfinished = `${databaseFile}.unfinished`;
  const database = openDatabase(unfinished);
  try {
    // An unfinished file is thrown away, so it needs no journal.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN');
    const secrets = insertOrganisations(database);
    await withoutTriggers(database, () => insertCases(database, cases, signal));
    database.exec('COMMIT; PRAGMA journal_mode = WAL');
    await rename(unfinished, databaseFile);
    await writeFile(secretsFile, JSON.stringify({ version, ...secrets }), { mode: 0o600 });
    return { cases, databaseFile, ...secrets };
  } finally {
    database.close();
  }
}

function insertOrganisations(database: Database): Secrets {
  const addOrganisation = database.prepare(
    'INSERT INTO organisation (organisation_id, name, created_at) VALUES (?, ?, ?)',
  );
  const addFeature = database.prepare("INSERT INTO organisation_feature VALUES (?, 'verification')");
  const addResult = database.prepare(
    'INSERT INTO cached_analysis_result (organisation_id, content_sha256, result, created_at) VALUES (?, ?, ?, ?)',
  );
  const addCredential = database.prepare(
    `INSERT INTO credential (credential_id, organisation_id, kind, role, secret_sha256, created_at)
     VALUES (?, ?, ?, ?, ?, '${createdAt}')`,
  );
  const secrets = { apiKeys: [] as string[], accessTokens: [] as string[] };
  for (let number = 0; number < organisations; number += 1) {
    const id = identifierOf('organisation', number);
    addOrganisation.run(id, `Organisation ${number}`, createdAt);
    addFeature.run(id);
    for (let index = 0; index < cachedResultsOfOrganisation; index += 1)
      addResult.run(id, createHash('sha256').update(`content ${index}`).digest(), '{}', createdAt);
    const [apiKey, accessToken] = [generateSecret('api-key', 'uk'), generateSecret('access-token', 'uk')];
    addCredential.run(identifierOf('credential', 2 * number), id, 'api-key', 'owner', hashSecret(apiKey));
    addCredential.run(identifierOf('credential', 2 * number + 1), id, 'access-token', null, hashSecret(accessToken));
    secrets.apiKeys.push(apiKey);
    secrets.accessTokens.push(accessToken);
  }
  return secrets;
}

async function insertCases(database: Database, cases: number, signal: AbortSignal): Promise<void> {
  const addCase = database.prepare(
    `INSERT INTO case_record (case_id, organisation_id, label, metadata, locked_at, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const addRevision = database.prepare("INSERT OR IGNORE INTO case_revision (case_id, revision) VALUES (?, '1')");
  const addFile = database.prepare(
    `INSERT INTO case_file
       (case_id, file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let number = 0; number < cases; number += 1) {
    if (number % 1000 === 0) {
      await nextTurn();
      signal.throwIfAborted();
    }
    const caseId = identifierOf('case', number);
    addCase.run(caseId, ...caseColumns(number));
    addRevision.run(caseId);
    for (const columns of fileColumns(number)) addFile.run(caseId, ...columns);
  }
}

function caseColumns(number: number): unknown[] {
  const created = new Date(firstDay + (number % 365) * day);
  return [
    identifierOf('organisation', ownerOf(number)),
    `Supplier onboarding ${number}`,
    JSON.stringify({ source: 'onboarding', reference: `ONB-${number}`, priority: number % 5, country: 'GB' }),
    number % 10 === 9 ? created.toISOString() : null,
    created.toISOString(),
    new Date(created.getTime() + day).toISOString(),
  ];
}

function* fileColumns(caseNumber: number): Generator<unknown[]> {
  const start = firstDay + (caseNumber % 365) * day;
  const count = caseNumber === 0 ? 100_000 : caseNumber === 1 ? 1000 : 10;
  for (let index = 0; index < count; index += 1) {
    const number = caseNumber * 10 + index;
    const fileId = identifierOf('file', caseNumber * 1_000_000 + index);
    const [name, suffix, mimeType] = kinds[number % kinds.length] ?? kinds[0];
    // In most cases all files are analysed, so that both states of a case occur.
    const status = (caseNumber % 4 === 0 ? statuses[number % statuses.length] : undefined) ?? 'analysis_complete';
    const uploaded = start + index * 100;
    yield [
      fileId,
      `${name}-${number}.${suffix}`,
      new Date(uploaded).toISOString(),
      `https://files.document-analysis.example/thumbnails/${fileId}.png`,
      mimeType,
      status,
      status === 'analysing' ? null : new Date(uploaded + 60_000).toISOString(),
    ];
  }
}

/** Drops the triggers that renew the revision of a case with each file, which takes long and says nothing of new cases. */
async function withoutTriggers(database: Database, work: () => Promise<void>): Promise<void> {
  const triggers = database
    .prepare<[], { name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('case_record', 'case_file')",
    )
    .all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  await work();
  for (const { sql } of triggers) database.exec(sql);
}

/** Changes with the store's schema, and with this file and the plan. */
function versionOfData(): string {
  const database = openDatabase(':memory:');
  const schema = database.prepare<[], string | null>('SELECT sql FROM sqlite_schema ORDER BY name').pluck().all();
  database.close();
  const files = ['data.ts', 'plan.ts'].map((name) => readFileSync(join(folders.bench, name), 'utf8'));
  return createHash('sha256')
    .update(JSON.stringify([schema, files]))
    .digest('hex');
}
