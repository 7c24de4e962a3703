import type { RegistryRecord } from '../../domain/analysis.ts';
import type { CompanyRegisterStore, RegisteredCorporation } from '../../store/company-register-store.ts';
import { notImported, type Registry, RegistryUnavailableError } from './registry.ts';

/** The federal register of corporations of Canada, imported into the store. */
export function corporationRegistry(
  store: Pick<CompanyRegisterStore, 'findCorporations' | 'readCompanyRegister' | 'readCompanyRegisterEdition'>,
): Registry {
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
