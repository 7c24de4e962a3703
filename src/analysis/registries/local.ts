import type { CompanyRegisterStore } from '../../store/company-register-store.ts';
import { notImported, type Registry, RegistryUnavailableError } from './registry.ts';

/** The register of companies, imported into the store. */
export function localRegistry(store: CompanyRegisterStore): Registry {
  return {
    name: 'UK company register (imported)',
    kinds: ['uk-company-number'],
    edition: () => store.readCompanyRegisterEdition(),
    find: async (_kind, value, signal) => {
      signal?.throwIfAborted();
      const found = await store.findCompany(value);
      if (found) return { value: found.company_number, name: found.name, status: found.status };
      if (!(await store.readCompanyRegister())) throw new RegistryUnavailableError(notImported);
      return undefined;
    },
  };
}
