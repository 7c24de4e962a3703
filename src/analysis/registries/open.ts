import type { Logger } from 'pino';
import type { CompanyRegisterStore } from '../../store/company-register-store.ts';
import { localRegistry } from './local.ts';
import type { Registry } from './registry.ts';
import type { CompanyRegistryConfig } from './settings.ts';

/** Opens the registries of the configuration. What asks one elsewhere is loaded only if it is needed. */
export async function openRegistries(
  config: CompanyRegistryConfig,
  store: CompanyRegisterStore,
  logger: Logger,
): Promise<Registry[]> {
  if (config.kind === 'local') return [localRegistry(store)];
  const { companiesHouse } = await import('./companies-house.ts');
  return [companiesHouse(config, logger)];
}
