/** Makes the data once, and again only if the store's schema or the plan of the data has changed. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Sqlite, { type Database } from 'better-sqlite3';
import { generateSecret, hashSecret } from '../../src/domain/secret.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { folders } from '../support/folders.ts';
import { fileCount, identifierOf, sizes } from './plan.ts';
import { caseRow, fileRows } from './rows.ts';

/** Increase it when the rows change but their plan does not. */
const rowsVersion = 1;

const createdAt = '2025-01-01T00:00:00.000Z';
const cachedResultsOfOrganisation = 10;
const caseColumns = 'case_id, organisation_id, label, metadata, locked_at, created_at, updated_at';
const fileColumns =
  'case_id, file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at';

/** The data, in addition to its plan. */
export interface BenchData {
  /** The SQLite file, which is never changed: each run uses a copy. */
  readonly databaseFile: string;
  /** By number of the organisation: the secret of an owner's API key. */
  readonly apiKeys: readonly string[];
  /** By number of the organisation: the secret of an access token. */
  readonly accessTokens: readonly string[];
}

type Manifest = Pick<BenchData, 'apiKeys' | 'accessTokens'> & { readonly fingerprint: string };

/**
 * Returns the data, and makes it first if it does not exist yet. Reports the progress to `tell`.
 * @throws {Error} if the signal aborts; the incomplete data is discarded the next time
 */
export async function provideData(signal: AbortSignal, tell: (line: string) => void): Promise<BenchData> {
  const fingerprint = fingerprintOfData();
  const databaseFile = join(folders.reports, 'data', 'document-analysis-uk.sqlite');
  const manifestFile = `${databaseFile}.json`;
  if (existsSync(databaseFile) && existsSync(manifestFile)) {
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest;
    if (manifest.fingerprint === fingerprint) return { databaseFile, ...manifest };
  }
  tell(`Making ${sizes.organisations} organisations, ${sizes.cases} cases and ${sizes.files} files (once)`);
  const folder = dirname(databaseFile);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${databaseFile}.unfinished`;
  const secrets = await fill(unfinished, signal, tell);
  const manifest: Manifest = { fingerprint, ...secrets };
  await writeFile(manifestFile, JSON.stringify(manifest), { mode: 0o600 });
  await rename(unfinished, databaseFile);
  return { databaseFile, ...secrets };
}

async function fill(
  file: string,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<Omit<Manifest, 'fingerprint'>> {
  const database = openDatabase(file);
  try {
    // An incomplete file is discarded, so it needs no journal.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000');
    database.exec('BEGIN');
    const secrets = insertOrganisations(database);
    await insertCases(database, signal, tell);
    database.exec('COMMIT');
    database.exec('PRAGMA journal_mode = WAL');
    return secrets;
  } finally {
    database.close();
  }
}

function insertOrganisations(database: Database): Omit<Manifest, 'fingerprint'> {
  const addOrganisation = database.prepare(
    'INSERT INTO organisation (organisation_id, name, created_at) VALUES (?, ?, ?)',
  );
  const addFeature = database.prepare("INSERT INTO organisation_feature VALUES (?, 'verification')");
  const addResult = database.prepare(
    'INSERT INTO cached_analysis_result (organisation_id, content_sha256, result, created_at) VALUES (?, ?, ?, ?)',
  );
  const addCredential = database.prepare(
    `INSERT INTO credential (credential_id, organisation_id, kind, role, secret_sha256, created_at) VALUES (?, ?, ?, ?, ?, '${createdAt}')`,
  );
  const secrets = { apiKeys: [] as string[], accessTokens: [] as string[] };
  for (let number = 0; number < sizes.organisations; number += 1) {
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

async function insertCases(database: Database, signal: AbortSignal, tell: (line: string) => void): Promise<void> {
  const addCase = database.prepare(`INSERT INTO case_record (${caseColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const addFile = database.prepare(`INSERT INTO case_file (${fileColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const tenth = sizes.files / 10;
  let files = 0;
  for (let number = 0; number < sizes.cases; number += 1) {
    if (number % 1000 === 0) {
      await nextTurn();
      signal.throwIfAborted();
    }
    addCase.run(...caseRow(number));
    for (const row of fileRows(number, files)) addFile.run(...row);
    const before = files;
    files += fileCount(number);
    if (Math.floor(files / tenth) > Math.floor(before / tenth)) tell(`  ${files} files`);
  }
}

/** Changes with the store's schema and with the plan of the data. */
function fingerprintOfData(): string {
  const database = new Sqlite(':memory:');
  try {
    migrate(database, ':memory:');
    const schema = database.prepare<[], string | null>('SELECT sql FROM sqlite_schema ORDER BY name').pluck().all();
    return createHash('sha256')
      .update(JSON.stringify([rowsVersion, sizes, schema]))
      .digest('hex');
  } finally {
    database.close();
  }
}
