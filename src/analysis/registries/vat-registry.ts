/**
 * HMRC's register of VAT numbers, which allows three requests a second: "Check a UK VAT number" 2.0, as published in
 * https://github.com/hmrc/vat-registered-companies-api, with the Developer Hub's guide
 * (https://developer.service.hmrc.gov.uk/api-documentation/docs/reference-guide#errors).
 */
import type { Logger } from 'pino';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { FailedAttempt, formatOf, objectOf, type RegistryResponse, send, unpublished } from './http-exchange.ts';
import { type Exchange, type Pace, pacedRegistry, usualPace } from './paced-registry.ts';
import type { Registry } from './registry.ts';

export interface VatRegistryAccess {
  readonly url: URL;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** After status 429 the guide asks to stop for a short time, without stating how long. */
const waitSeconds = () => 2;

const refusals = new Map([
  ['RESOURCE_FORBIDDEN', 'the application is not subscribed to the API'],
  ['INVALID_SCOPE', 'the scope of the access token is not sufficient'],
  ['HTTPS_REQUIRED', 'it asks for https'],
]);

const isToken = formatOf<{ access_token: string; expires_in: number }>({
  access_token: { type: 'string', pattern: '^[\\x21-\\x7e]{1,4096}$' },
  token_type: { type: 'string', pattern: '^[Bb]earer$' },
  expires_in: { type: 'number', minimum: 1 },
});
const holder = objectOf({ name: { type: 'string', minLength: 1, maxLength: 1000 }, vatNumber: { type: 'string' } });
const isLookup = formatOf<{ target: { name: string; vatNumber: string } }>({ target: holder });
const isError = formatOf<{ code: string }>({ code: { type: 'string' } });

/** The holder of a VAT number; undefined if it has none. @throws {FailedAttempt} if the response is neither */
function recordOf(response: RegistryResponse, digits: string): RegistryRecord | undefined {
  const { status, body } = response;
  if (status === 200 && isLookup(body) && body.target.vatNumber === digits)
    return { value: `GB${digits}`, name: body.target.name, status: '' };
  const code = isError(body) ? body.code : '';
  if (status === 404 && code === 'NOT_FOUND') return undefined;
  const reason = status === 403 ? refusals.get(code) : undefined;
  if (reason === undefined) throw unpublished(response);
  throw new FailedAttempt('misconfigured', `it refuses the application (status 403): ${reason}`);
}

/** How long before a token expires a new one is requested; a short-lived token is renewed after half of its life. */
const renewedBeforeSeconds = 60;
const longestLifeSeconds = 24 * 60 * 60;

/** Any second overlaps at most three windows. */
export const vatRegistryPace: Pace = { ...usualPace, requestsOfWindow: 1, windowSeconds: 0.5 };

/** The register behind HMRC's API. All callers share its access token. */
export function vatRegistry(access: VatRegistryAccess, logger: Logger, pace: Pace = vatRegistryPace): Registry {
  const { url, clientId, clientSecret } = access;
  const client = { client_id: clientId, client_secret: clientSecret };
  let current = '';
  let pending: Promise<string> | undefined;
  /** By a monotonic clock, so that setting the system time has no effect. */
  let renewAt = -Infinity;

  async function renew(exchange: Exchange): Promise<string> {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...client, scope: 'read:vat' });
    const request = { method: 'POST', headers: { accept: 'application/json' }, body };
    const { status, body: token } = await exchange(
      (signal) => send(url, 'oauth/token', { ...request, signal }, waitSeconds),
      { shared: true },
    );
    if (status !== 200 || !isToken(token))
      throw new FailedAttempt('misconfigured', `it gives no access token (status ${status})`);
    const life = Math.min(token.expires_in, longestLifeSeconds);
    renewAt = performance.now() + Math.max(life - renewedBeforeSeconds, life / 2) * 1000;
    return (current = token.access_token);
  }

  async function ask(vatNumber: string, exchange: Exchange): Promise<RegistryRecord | undefined> {
    // The API takes a number without its country.
    const digits = vatNumber.replace(/^GB/, '');
    const path = `organisations/vat/check-vat-number/lookup/${encodeURIComponent(digits)}`;
    // A token that expired early or was revoked is replaced once.
    for (let refused = 0; refused < 2; refused += 1) {
      let token = current;
      if (performance.now() >= renewAt)
        token = await (pending ??= renew(exchange).finally(() => (pending = undefined)));
      const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.hmrc.2.0+json' };
      const response = await exchange((signal) => send(url, path, { headers, signal }, waitSeconds));
      if (response.status !== 401) return recordOf(response, digits);
      // Unless a newer one has replaced it.
      if (token === current) renewAt = -Infinity;
    }
    throw new FailedAttempt('misconfigured', 'it refuses the access token (status 401)');
  }

  const name = `UK VAT register (${url.host})`;
  return pacedRegistry({ name, kinds: ['uk-vat-number'], ask }, logger, pace);
}
