/**
 * The data of the bench. The number of a case determines its identifier, organisation and files, so that the load
 * generator needs no list of them. The program's own store writes the data, once for each size.
 */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce, digestOf } from '../scripts/build/build-once.ts';
import type { CaseToImport, FileSummary } from '../src/domain/case.ts';
import { issueCredential, type CredentialKind } from '../src/domain/credential.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import { folders } from './machine.ts';
import { caseCount, identifierOf, organisations } from './plan.ts';

export type Size = keyof typeof caseCount;

/** The secrets of an owner's API key and of an access token of an organisation. */
interface Secrets {
  readonly apiKey: string;
  readonly accessToken: string;
}

/** What requests need beside the plan. */
export interface BenchData {
  readonly cases: number;
  /** The SQLite file, which is never changed: each server uses a copy. */
  readonly databaseFile: string;
  /** By number of the organisation. */
  readonly secrets: readonly Secrets[];
}

const day = 24 * 60 * 60 * 1000;
const firstDay = Date.parse('2025-01-01T08:00:00.000Z');
const createdAt = new Date(firstDay).toISOString();
const statuses = ['analysis_complete', 'analysis_complete', 'analysis_complete', 'analysis_failed', 'analysing'];
const kinds = [
  ['certificate-of-incorporation', 'pdf', 'application/pdf'],
  ['vat-registration', 'pdf', 'application/pdf'],
  ['invoice', 'png', 'image/png'],
  ['bank-statement', 'jpeg', 'image/jpeg'],
] as const;

/** The data of a size, which is made if there is none of this plan and schema. @throws {Error} if the signal aborts */
export async function provideData(size: Size, signal: AbortSignal, log: (line: string) => void): Promise<BenchData> {
  const cases = caseCount[size];
  const folder = join(folders.reports, 'data', size);
  const [databaseFile, secretsFile] = [join(folder, 'document-analysis-uk.sqlite'), join(folder, 'secrets.json')];
  const plan = [join(folders.bench, 'data.ts'), join(folders.bench, 'plan.ts')];
  const inputs = digestOf([...plan, join(folders.repository, 'src/store/schema')]);
  await buildOnce({ note: join(folder, 'version'), inputs, outputs: [databaseFile, secretsFile] }, async () => {
    log(`Making ${cases.toLocaleString('en')} cases (once)`);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const store = openSqliteStore(databaseFile);
    const numbers = Array.from({ length: organisations }, (_none, number) => number);
    try {
      // Concurrent writes share a commit.
      const secrets = await Promise.all(numbers.map((number) => addOrganisation(store, number, casesOf(number))));
      await writeFile(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
    } finally {
      await store.close();
    }
  });
  return { cases, databaseFile, secrets: JSON.parse(readFileSync(secretsFile, 'utf8')) as Secrets[] };

  function* casesOf(organisation: number): Iterable<CaseToImport> {
    for (let number = organisation; number < cases; number += organisations) {
      signal.throwIfAborted();
      yield caseOf(number);
    }
  }
}

async function addOrganisation(store: Store, number: number, cases: Iterable<CaseToImport>): Promise<Secrets> {
  const id = identifierOf('organisation', number);
  const organisation = { organisation_id: id, name: `Organisation ${number}`, created_at: createdAt };
  await store.createOrganisation({ ...organisation, features: ['verification'], verification_enabled: false });
  const issue = async (kind: CredentialKind, role: string | null) => {
    const request = { organisation_id: id, kind, role, created_at: createdAt, expires_at: null };
    return (await issueCredential(store, 'uk', request)).secret;
  };
  const secrets = { apiKey: await issue('api-key', 'owner'), accessToken: await issue('access-token', null) };
  await store.importCases(id, cases);
  return secrets;
}

function caseOf(number: number): CaseToImport {
  const created = new Date(firstDay + (number % 365) * day);
  return {
    case_id: identifierOf('case', number),
    label: `Supplier onboarding ${number}`,
    metadata: { source: 'onboarding', reference: `ONB-${number}`, priority: number % 5, country: 'GB' },
    locked_at: number % 10 === 9 ? created.toISOString() : null,
    created_at: created.toISOString(),
    updated_at: new Date(created.getTime() + day).toISOString(),
    files: filesOf(number),
  };
}

function* filesOf(caseNumber: number): Iterable<FileSummary> {
  const start = firstDay + (caseNumber % 365) * day;
  const count = caseNumber === 0 ? 100_000 : caseNumber === 1 ? 1000 : 10;
  for (let index = 0; index < count; index += 1) {
    const number = caseNumber * 10 + index;
    const fileId = identifierOf('file', caseNumber * 1_000_000 + index);
    const [name, suffix, mimeType] = kinds[number % kinds.length] ?? kinds[0];
    // In most cases all files are analysed, so that both states of a case occur.
    const status = (caseNumber % 4 === 0 ? statuses[number % statuses.length] : undefined) ?? 'analysis_complete';
    const uploaded = start + index * 100;
    yield {
      file_id: fileId,
      label: `${name}-${number}.${suffix}`,
      uploaded_at: new Date(uploaded).toISOString(),
      thumbnail_url: `https://files.document-analysis.example/thumbnails/${fileId}.png`,
      mime_type: mimeType,
      analysis_status: status,
      analysis_completed_at: status === 'analysing' ? null : new Date(uploaded + 60_000).toISOString(),
    };
  }
}
