/** The methods of the store that the requests of the API do not pass through, loaded at the first call of one. */
import type { Access } from './statements.ts';
import type { OperationStore, Store } from './store.ts';

/** The methods that are written once for both engines. */
export type PartStore = Omit<
  Store,
  keyof OperationStore | 'findCase' | 'authorisedBy' | 'name' | 'warning' | 'check' | 'poolState' | 'close'
>;

const names = Object.keys({
  createOrganisation: true,
  listOrganisations: true,
  updateFeature: true,
  addCredential: true,
  replaceCredential: true,
  readCredential: true,
  listCredentials: true,
  revokeCredential: true,
  noteCredentialUses: true,
  listExpiringCredentials: true,
  listRoles: true,
  setPermission: true,
  importCases: true,
  findOwnerOfCase: true,
  lockCase: true,
  unlockCase: true,
  listCases: true,
  requireUnlockedCase: true,
  expectFile: true,
  addFiles: true,
  takeAnalysis: true,
  renewLease: true,
  releaseLease: true,
  completeAnalysis: true,
  failAnalysis: true,
  readAnalysis: true,
  countWaitingAnalyses: true,
  saveCachedAnalysisResult: true,
  countCachedAnalysisResults: true,
  pruneCachedResults: true,
  takeRecheck: true,
  renewRecheck: true,
  releaseRecheck: true,
  saveRecheck: true,
  countRechecks: true,
  startCompanyRegisterImport: true,
  readCompanyRegister: true,
  readCompanyRegisterEdition: true,
  findCompany: true,
  findCorporations: true,
  readLastUpload: true,
  listContents: true,
  listThumbnails: true,
  removeUnnamed: true,
  listAuditEntries: true,
} satisfies Record<keyof PartStore, true>);

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** The methods on an engine. */
export function partStore(access: Access): PartStore {
  let parts: Promise<Record<string, Method>> | undefined;
  const load = async () => (await import('./parts/index.ts')).partsOn(access) as unknown as Record<string, Method>;
  const methods: Record<string, Method> = {};
  for (const name of names) methods[name] = async (...parameters) => (await (parts ??= load()))[name]?.(...parameters);
  return methods as unknown as PartStore;
}
