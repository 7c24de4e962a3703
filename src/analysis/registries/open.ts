import type { Logger } from 'pino';
import type { CompanyRegisterStore } from '../../store/company-register-store.ts';
import { corporationRegistry } from './corporations.ts';
import { localRegistry } from './local.ts';
import type { Registry } from './registry.ts';
import type { CompanyRegistryConfig } from './settings.ts';
import type { VatRegistryConfig } from './vat-settings.ts';

/** The registries to ask. */
export interface RegistriesConfig {
  readonly companyRegistry: CompanyRegistryConfig;
  readonly vatRegistry: VatRegistryConfig;
}

/** Opens the configured registries. The code for a remote one is loaded only if it is needed. */
export async function openRegistries(
  { companyRegistry, vatRegistry }: RegistriesConfig,
  store: CompanyRegisterStore,
  logger: Logger,
): Promise<Registry[]> {
  const registries = [await openCompanies(companyRegistry, store, logger), corporationRegistry(store)];
  if (vatRegistry.kind === 'none') return registries;
  const { vatRegistry: openVat } = await import('./vat-registry.ts');
  return [...registries, openVat(vatRegistry, logger)];
}

async function openCompanies(
  config: CompanyRegistryConfig,
  store: CompanyRegisterStore,
  logger: Logger,
): Promise<Registry> {
  if (config.kind === 'local') return localRegistry(store);
  const { companiesHouse } = await import('./companies-house.ts');
  return companiesHouse(config, logger);
}
