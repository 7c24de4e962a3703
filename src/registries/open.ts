import type { Logger } from 'pino';
import type { CompanyRegisterStore } from '../store/company-register-store.js';
import { localRegistry } from './local.js';
import type { Registry } from './registry.js';
import type { CompanyRegistryConfig } from './settings.js';

/** Opens the registries of the configuration. What asks one elsewhere is loaded only if it is needed. */
export async function openRegistries(
  config: CompanyRegistryConfig,
  store: CompanyRegisterStore,
  logger: Logger,
): Promise<Registry[]> {
  if (config.kind === 'local') return [localRegistry(store)];
  const { companiesHouse } = await import('./companies-house.js');
  return [companiesHouse(config, logger)];
}
