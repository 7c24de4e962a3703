/** The public API of the UK register of companies, which allows each caller 600 requests in five minutes. */
import type { Logger } from 'pino';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { FailedAttempt, formatOf, objectOf, type RegistryResponse, send, unpublished } from './http-exchange.ts';
import { type Pace, type PacedApi, pacedRegistry, usualPace } from './paced-registry.ts';
import type { Registry } from './registry.ts';

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

/** The company that was asked for; undefined if there is none. @throws {FailedAttempt} if the response is neither */
function recordOf(response: RegistryResponse, companyNumber: string): RegistryRecord | undefined {
  const { status, body } = response;
  if (status === 200 && isCompany(body) && body.company_number === companyNumber)
    return { value: companyNumber, name: body.company_name, status: body.company_status ?? '' };
  if (status === 404 && saysUnknown(body)) return undefined;
  if (status !== 401 && status !== 403) throw unpublished(response);
  throw new FailedAttempt('misconfigured', `it refuses the API key (status ${status})`);
}

/** How long the register asks to wait. It sends the second at which its window ends, and rarely Retry-After. */
function waitSecondsOf(headers: Headers): number {
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) - Date.now() / 1000;
  return Number.isNaN(reset) ? 60 : Math.max(0, reset);
}

/** Any five minutes overlap at most 31 windows: 589 requests. */
export const companiesHousePace: Pace = {
  ...usualPace,
  firstBackoffMilliseconds: 250,
  requestsOfWindow: 19,
  windowSeconds: 10,
};

export function companiesHouse(access: CompaniesHouseAccess, logger: Logger, pace = companiesHousePace): Registry {
  const { url, apiKey } = access;
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
  const headers = { authorization, accept: 'application/json' };
  const ask: PacedApi['ask'] = async (companyNumber, exchange) => {
    const path = `company/${encodeURIComponent(companyNumber)}`;
    const response = await exchange((signal) => send(url, path, { headers, signal }, waitSecondsOf));
    return recordOf(response, companyNumber);
  };
  const name = `UK company register (${url.host})`;
  return pacedRegistry({ name, kinds: ['uk-company-number'], ask }, logger, pace);
}
