import { createHash } from 'node:crypto';
import type { CompanyRegister } from '../../../src/store/parts/registers.ts';
import { type RegisterEntry, type RegisterName, StagedCompanies } from '../../../src/store/staged-imports.ts';
import type { CachedAnalysisResult } from '../../../src/store/parts/cached-results.ts';
import type { Store } from '../../../src/store/store.ts';
import { addCredential, addOrganisation, buildCase } from '../../support/tenants.ts';

/** An identifier that nothing has. */
export const unknown = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
export const at = '2026-03-02T12:00:00.000Z';
export const later = '2026-03-02T13:00:00.000Z';

/** An organisation with a credential and cached results, ready for an update of its setting. */
export async function settingFixture(store: Store, cached: number) {
  const organisationId = await addOrganisation(store);
  const { credentialId } = await addCredential(store, organisationId, { kind: 'api-key', role: 'owner' });
  for (let index = 0; index < cached; index += 1) await saveResult(store, organisationId, `content ${index}`);
  const update = (enabled: boolean, occurredAt = at) =>
    store.updateVerificationSetting({ organisationId, enabled, credentialId, requestId: 'request-1', occurredAt });
  return { organisationId, credentialId, update };
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
    content_sha256: createHash('sha256').update(content).digest(),
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
