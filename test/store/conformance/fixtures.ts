import { createHash, randomUUID } from 'node:crypto';
import type { AnalysisResult, Evidence } from '../../../src/domain/analysis.ts';
import type { TakenAnalysis } from '../../../src/store/parts/analyses.ts';
import type { ExpectedFile, NewFile } from '../../../src/store/parts/files.ts';
import type { Lease, Turn } from '../../../src/store/parts/leases.ts';
import type { CompanyRegister } from '../../../src/store/parts/registers.ts';
import { type RegisterEntry, type RegisterName, StagedCompanies } from '../../../src/store/staged-imports.ts';
import type { CachedAnalysisResult } from '../../../src/store/parts/cached-results.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCase, addCredential, addOrganisation, buildCase } from '../../support/tenants.ts';

/** An identifier that nothing has. */
export const unknown = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
export const at = '2026-03-02T12:00:00.000Z';
export const later = '2026-03-02T13:00:00.000Z';
export const taken = '2026-03-02T12:01:00.000Z';
/** A lease of a minute, and one that has run out when it is taken, by whatever clock. */
export const [minute, noTime] = [60_000, 0];
export const ended = '2026-03-02T12:01:30.000Z';

/** An organisation with a credential and cached results, ready for an update of its setting. */
export async function settingFixture(store: Store, cached: number) {
  const organisationId = await addOrganisation(store);
  const { credentialId } = await addCredential(store, organisationId, { kind: 'api-key', role: 'owner' });
  for (let index = 0; index < cached; index += 1) await saveResult(store, organisationId, `content ${index}`);
  const change = { organisationId, credentialId, enabled: true, requestId: 'request-1', occurredAt: at };
  const update = (enabled: boolean, occurredAt = at) =>
    store.updateVerificationSetting({ ...change, enabled, occurredAt });
  return { organisationId, credentialId, change, update };
}

/** Caches the result for a content. */
export function saveResult(
  store: Store,
  organisationId: string,
  content: string,
  result: CachedAnalysisResult['result'] = { content },
): Promise<void> {
  return store.saveCachedAnalysisResult({
    organisation_id: organisationId,
    content_sha256: sha256(content),
    result,
    created_at: at,
  });
}

/** So many files, all uploaded at one time. */
export function filesAtOnce(count: number) {
  return buildCase(Array<string>(count).fill('analysing')).files.map((file) => ({ ...file, uploaded_at: at }));
}

/** Imports a register; what happens `meanwhile` happens each time that it has stored some companies, and before the first. */
export async function importRegister(
  store: Store,
  entries: readonly RegisterEntry[] = [],
  { register, source, at: importedAt }: { register?: RegisterName; source?: string; at?: string } = {},
  meanwhile?: (stored: number) => unknown,
): Promise<CompanyRegister> {
  const staged = new StagedCompanies();
  try {
    staged.add(entries);
    const origin = { source: source ?? 'companies.csv', imported_at: importedAt ?? at };
    return await store.importCompanyRegister(register ?? 'uk-companies', staged, origin, meanwhile);
  } finally {
    staged.close();
  }
}

export const failure = { code: 'broken-file', message: 'The file is broken.' } as const;

export function sha256(content: string): Buffer {
  return createHash('sha256').update(content).digest();
}

/** What an analysis found; the number of characters tells one from another. */
export function resultOf(characters: number): AnalysisResult {
  return { text: { outcome: 'text', pages: 1, characters }, details: [], evidence: null };
}

/** That a registry, by default one without editions, does not list a number. */
export function evidenceOf(value: string, askedAt: string, more: Partial<Evidence> = {}): Evidence {
  const registry = { registry: 'the register', edition: null, record: null };
  const found = { verdict: 'not_found', reason: null } as const;
  return { kind: 'uk-company-number', value, ...registry, asked_at: askedAt, ...found, ...more };
}

/** A file of this content, to be added. */
export function newFile(content = 'content', uploadedAt = at): NewFile {
  return {
    file_id: randomUUID(),
    label: `${content}.pdf`,
    uploaded_at: uploadedAt,
    thumbnail_url: 'https://files.example/thumbnail.png',
    mime_type: 'application/pdf',
    content_sha256: sha256(content),
  };
}

/** The same file before its content is here. */
export function expectedFile({ content_sha256: _, ...file }: NewFile): ExpectedFile {
  return file;
}

/** An organisation with a case to which files can be added, whose setting can be updated. */
export async function caseFixture(store: Store) {
  const { organisationId, update } = await settingFixture(store, 0);
  const caseId = await addCase(store, organisationId, buildCase([]));
  const add = async (...files: NewFile[]) => {
    await store.addFiles({ caseId, files, at });
    return files.map((file) => file.file_id);
  };
  /** Adds a file of this content, and takes it. */
  const begin = async (content?: string, ...taking: [at?: string, leaseMilliseconds?: number]) => {
    await add(newFile(content));
    return take(store, ...taking);
  };
  const statusOf = async (fileId: string) => {
    const found = await store.findCase(organisationId, caseId);
    const file = found?.files.find(({ file_id: id }) => id === fileId);
    return file && [file.analysis_status, file.analysis_completed_at];
  };
  return { organisationId, caseId, update, add, begin, statusOf };
}

/** Takes the next file; with its lease, as there is something to analyse. */
export async function take(
  store: Store,
  at = taken,
  leaseMilliseconds: number = minute,
  turn?: Turn,
): Promise<TakenAnalysis> {
  const file = await store.takeAnalysis({ at, leaseMilliseconds, ...(turn && { turn }) });
  if (file?.analysis_status !== 'analysing') throw new Error(`there is a file to analyse, not ${JSON.stringify(file)}`);
  return file;
}

/** Takes the next file and completes it, with a result that is cached if the setting allows. */
export async function analyse(store: Store, characters = 1, at = taken): Promise<string> {
  const { lease } = await take(store, at);
  await store.completeAnalysis(lease, { result: resultOf(characters), cacheable: true, at: ended });
  return lease.fileId;
}

/** The lease of nobody, for a file. */
export function strangerOf({ fileId }: Lease): Lease {
  return { fileId, token: randomUUID() };
}
