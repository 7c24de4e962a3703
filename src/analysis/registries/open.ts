import type { Logger } from 'pino';
import type { CompanyRegisterStore } from '../../store/parts/registers.ts';
import type { RegisteredCorporation, RegisterName } from '../../store/staged-imports.ts';
import { notImported, type Registry, RegistryUnavailableError } from './registry.ts';
import type { RegistryConfig } from './settings.ts';

/** Opens the configured registries. The code for a remote one is loaded only if it is needed. */
export async function openRegistries(
  { companyRegistry, vatRegistry }: Pick<RegistryConfig, 'companyRegistry' | 'vatRegistry'>,
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

function localRegistry(store: CompanyRegisterStore): Registry {
  const facts = { name: 'UK company register (imported)', kinds: ['uk-company-number'] } as const;
  return importedRegistry(facts, store, undefined, async (_kind, value) => {
    const found = await store.findCompany(value);
    return found && { value: found.company_number, name: found.name, status: found.status };
  });
}

function corporationRegistry(store: CompanyRegisterStore): Registry {
  const name = 'Federal corporation register of Canada (imported)';
  const facts = { name, kinds: ['ca-corporation-number', 'ca-business-number'] } as const;
  return importedRegistry(facts, store, 'ca-corporations', async (kind, value) => {
    const by = kind === 'ca-business-number' ? 'business_number' : 'corporation_number';
    const [found] = (await store.findCorporations(by, value)).sort(presentFirst);
    if (!found) return undefined;
    const { name: firstName, other_name: otherName, status } = found;
    return { value, name: firstName, ...(otherName !== null && { other_names: [otherName] }), status };
  });
}

function importedRegistry(
  facts: Pick<Registry, 'name' | 'kinds'>,
  store: CompanyRegisterStore,
  register: RegisterName | undefined,
  find: Registry['find'],
): Registry {
  return {
    ...facts,
    edition: () => store.readCompanyRegisterEdition(register),
    find: async (kind, value, signal) => {
      signal?.throwIfAborted();
      const found = await find(kind, value);
      if (!found && !(await store.readCompanyRegister(register))) throw new RegistryUnavailableError(notImported);
      return found;
    },
  };
}

/** Amalgamated corporations can share a business number: prefers an active one, then a later one. */
function presentFirst(one: RegisteredCorporation, other: RegisteredCorporation): number {
  const isActive = ({ status }: RegisteredCorporation) => Number(/^active/i.test(status));
  return isActive(other) - isActive(one) || Number(other.company_number) - Number(one.company_number);
}
