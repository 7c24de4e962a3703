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

/** The methods on the prototype, because a request that writes has an object of its own. */
class Parts {
  readonly #access: Access;
  #methods: Promise<Record<string, Method>> | undefined;

  static {
    for (const name of names)
      Object.defineProperty(this.prototype, name, {
        value: async function call(this: Parts, ...parameters: unknown[]) {
          return (await (this.#methods ??= this.#load()))[name]?.(...parameters);
        },
      });
  }

  constructor(access: Access) {
    this.#access = access;
  }

  async #load(): Promise<Record<string, Method>> {
    const { partsOn } = await import('./parts/index.ts');
    return partsOn(this.#access) as unknown as Record<string, Method>;
  }
}

/** Adds methods to those that are written once, on an engine. */
export function withParts<Methods extends object>(access: Access, methods: Methods): Methods & PartStore {
  return Object.assign(new Parts(access) as unknown as PartStore, methods);
}

/** The methods that are written once, as properties of an object of its own. */
export function partStore(access: Access): PartStore {
  const parts = new Parts(access) as unknown as PartStore;
  return Object.fromEntries(names.map((name) => [name, parts[name as keyof PartStore].bind(parts)])) as never;
}
