/** The public API of the UK register of companies, which allows each caller 600 requests in five minutes. */
import type { Logger } from 'pino';
import { type CompaniesHouseAccess, requestCompany } from './companies-house-request.ts';
import { type Pace, pacedRegistry } from './paced-registry.ts';
import type { Registry } from './registry.ts';

/** How the register is asked. */
export const companiesHousePace: Pace = {
  totalMilliseconds: 20_000,
  attemptMilliseconds: 5000,
  attempts: 4,
  firstBackoffMilliseconds: 250,
  concurrency: 4,
  /** Any five minutes overlap at most 31 windows: 589 requests. */
  requestsOfWindow: 19,
  windowSeconds: 10,
  failuresUntilLeftAlone: 5,
  leftAloneMilliseconds: 30_000,
};

/** The register behind its public API. */
export function companiesHouse(
  access: CompaniesHouseAccess,
  logger: Logger,
  pace: Pace = companiesHousePace,
): Registry {
  return pacedRegistry(
    {
      name: `UK company register (${access.url.host})`,
      kinds: ['uk-company-number'],
      description: 'the company register',
      ask: (companyNumber, exchange) => exchange((signal) => requestCompany(access, companyNumber, signal)),
    },
    logger,
    pace,
  );
}
