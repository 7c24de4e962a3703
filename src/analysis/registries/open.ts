import type { Logger } from 'pino';
import type { CompanyRegisterStore, RegisteredCorporation } from '../../store/company-register-store.ts';
import { notImported, type Registry, RegistryUnavailableError } from './registry.ts';
import type { CompanyRegistryConfig, VatRegistryConfig } from './settings.ts';
import type { RegistryRecord } from '../../domain/analysis.ts';

/** Opens the configured registries. The code for a remote one is loaded only if it is needed. */
export async function openRegistries(
  { companyRegistry, vatRegistry }: { companyRegistry: CompanyRegistryConfig; vatRegistry: VatRegistryConfig },
  store: CompanyRegisterStore,
  logger: Logger,
): Promise<Registry[]> {
  const companies =
    companyRegistry.kind === 'local'
      ? localRegistry(store)
      : (await import('./companies-house.ts')).companiesHouse(companyRegistry, logger);
  const registries = [companies, corporationRegistry(store)];
  if (vatRegistry.kind === 'none') return registries;
  return [...registries, (await import('./vat-registry.ts')).vatRegistry(vatRegistry, logger)];
}

/** The register of companies, imported into the store. */
function localRegistry(store: CompanyRegisterStore): Registry {
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

/** The federal register of corporations of Canada, imported into the store. */
function corporationRegistry(store: CompanyRegisterStore): Registry {
  return {
    name: 'Federal corporation register of Canada (imported)',
    kinds: ['ca-corporation-number', 'ca-business-number'],
    edition: () => store.readCompanyRegisterEdition('ca-corporations'),
    find: async (kind, value, signal) => {
      signal?.throwIfAborted();
      const by = kind === 'ca-business-number' ? 'business_number' : 'corporation_number';
      const [found] = (await store.findCorporations(by, value)).sort(presentFirst);
      if (found) return recordOf(found, value);
      if (!(await store.readCompanyRegister('ca-corporations'))) throw new RegistryUnavailableError(notImported);
      return undefined;
    },
  };
}

/** Amalgamated corporations can share a business number: prefers an active one, then a later one. */
function presentFirst(one: RegisteredCorporation, other: RegisteredCorporation): number {
  const isActive = ({ status }: RegisteredCorporation) => Number(/^active/i.test(status));
  return isActive(other) - isActive(one) || Number(other.company_number) - Number(one.company_number);
}

function recordOf({ name, other_name: otherName, status }: RegisteredCorporation, value: string): RegistryRecord {
  return { value, name, ...(otherName !== null && { other_names: [otherName] }), status };
}
