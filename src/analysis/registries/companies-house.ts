/** The public API of the UK register of companies, which allows each caller 600 requests in five minutes. */
import type { Logger } from 'pino';
import { type Pace, type PacedApi, pacedRegistry } from './paced-registry.ts';
import type { Registry } from './registry.ts';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { below, FailedAttempt, failureOf, formatOf, objectOf, readJson, send } from './http-exchange.ts';

export interface CompaniesHouseAccess {
  readonly url: URL;
  readonly apiKey: string;
}

const isCompany = formatOf<{ company_name: string; company_number: string; company_status?: string }>(
  { company_name: { type: 'string', minLength: 1, maxLength: 1000 }, company_number: { type: 'string' } },
  { company_status: { type: 'string', maxLength: 100 } },
);
const notFound = objectOf({ error: { const: 'company-profile-not-found' } });
const saysUnknown = formatOf({ errors: { type: 'array', contains: notFound } });

/**
 * Asks for a company by its number; undefined if there is none. @throws {FailedAttempt} unless the response is complete
 */
async function requestCompany(
  { url, apiKey }: CompaniesHouseAccess,
  companyNumber: string,
  signal: AbortSignal,
): Promise<RegistryRecord | undefined> {
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
  const headers = { authorization, accept: 'application/json' };
  const response = await send(below(url, `company/${encodeURIComponent(companyNumber)}`), { headers, signal });
  const { status } = response;
  if (status !== 200 && status !== 404) {
    const failure = await failureOf(response, waitSecondsOf(response.headers));
    throw status === 401 || status === 403
      ? new FailedAttempt('misconfigured', `it refuses the API key (status ${status})`)
      : failure;
  }
  const body = await readJson(response);
  if (status === 404) {
    if (saysUnknown(body)) return undefined;
    throw new FailedAttempt('misconfigured', 'it responded with status 404, but not in the format of the register');
  }
  if (!isCompany(body) || body.company_number !== companyNumber)
    throw new FailedAttempt('misconfigured', 'its response is not the requested company in the format of the register');
  return { value: body.company_number, name: body.company_name, status: body.company_status ?? '' };
}

/** How long the register asks to wait. It sends the second at which its window ends, and rarely Retry-After. */
function waitSecondsOf(headers: Headers): number {
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) - Date.now() / 1000;
  return Number.isNaN(reset) ? 60 : Math.max(0, reset);
}

export const companiesHousePace: Pace = {
  totalMilliseconds: 20_000,
  attemptMilliseconds: 5000,
  attempts: 4,
  firstBackoffMilliseconds: 250,
  concurrency: 4,
  /** Any five minutes overlap at most 31 windows: 589 requests. */
  requestsOfWindow: 19,
  windowSeconds: 10,
  failuresUntilPause: 5,
  pauseMilliseconds: 30_000,
};

export function companiesHouse(access: CompaniesHouseAccess, logger: Logger, pace = companiesHousePace): Registry {
  const api: PacedApi = {
    name: `UK company register (${access.url.host})`,
    kinds: ['uk-company-number'],
    description: 'the company register',
    ask: (companyNumber, exchange) => exchange((signal) => requestCompany(access, companyNumber, signal)),
  };
  return pacedRegistry(api, logger, pace);
}
