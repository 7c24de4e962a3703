/**
 * HMRC's register of VAT numbers, which allows three requests a second: "Check a UK VAT number" 2.0, as published in
 * https://github.com/hmrc/vat-registered-companies-api, with the Developer Hub's guide
 * (https://developer.service.hmrc.gov.uk/api-documentation/docs/reference-guide#errors).
 */
import type { Logger } from 'pino';
import type { RegistryRecord } from '../../domain/analysis.ts';
import { type Exchange, type Pace, type PacedApi, pacedRegistry } from './paced-registry.ts';
import type { Registry } from './registry.ts';
import { below, FailedAttempt, failureOf, formatOf, objectOf, readJson, send } from './http-exchange.ts';

export interface VatRegistryAccess {
  readonly url: URL;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The API refused the access token: it has expired or was revoked. */
class RefusedTokenError extends FailedAttempt {
  constructor() {
    super('misconfigured', 'it refuses the access token (status 401)');
  }
}

/** After status 429 the guide asks to stop for a short time, without stating how long. */
const pauseSeconds = 2;

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

async function requestToken(
  { url, clientId, clientSecret }: VatRegistryAccess,
  signal: AbortSignal,
): Promise<{ access_token: string; expires_in: number }> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'read:vat',
  });
  const headers = { accept: 'application/json' };
  const response = await send(below(url, 'oauth/token'), { method: 'POST', headers, body, signal });
  if (response.status !== 200) {
    const failure = await failureOf(response, pauseSeconds);
    throw failure.kind === 'misconfigured'
      ? new FailedAttempt('misconfigured', `it gives no access token (status ${response.status})`)
      : failure;
  }
  const token = await readJson(response);
  if (!isToken(token))
    throw new FailedAttempt('misconfigured', 'its response is not an access token in the published format');
  return token;
}

/**
 * Asks for the holder of a VAT number, without its country code as the API requires; undefined if it has none.
 * @throws {FailedAttempt} unless the response is one of these two, complete and in the published format
 */
async function requestVatRegistration(
  { url }: Pick<VatRegistryAccess, 'url'>,
  { vatNumber, token }: { vatNumber: string; token: string },
  signal: AbortSignal,
): Promise<RegistryRecord | undefined> {
  const digits = vatNumber.replace(/^GB/, '');
  const path = `organisations/vat/check-vat-number/lookup/${encodeURIComponent(digits)}`;
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.hmrc.2.0+json' };
  const response = await send(below(url, path), { headers, signal });
  const { status } = response;
  if (status === 404 || status === 403) {
    const body = await readJson(response).catch(() => undefined);
    const code = isError(body) ? body.code : '';
    if (status === 404 && code === 'NOT_FOUND') return undefined;
    throw new FailedAttempt('misconfigured', describeRefusal(status, code));
  }
  if (status !== 200) {
    const failure = await failureOf(response, pauseSeconds);
    throw status === 401 ? new RefusedTokenError() : failure;
  }
  const body = await readJson(response);
  if (!isLookup(body) || body.target.vatNumber !== digits)
    throw new FailedAttempt('misconfigured', 'its response is not the requested number in the published format');
  return { value: `GB${digits}`, name: body.target.name, status: '' };
}

function describeRefusal(status: number, code: string): string {
  if (status === 404) return 'it responded with status 404, but not in the format of "not registered"';
  const reason = refusals.get(code);
  return reason === undefined ? 'it responded with status 403' : `it refuses the application (status 403): ${reason}`;
}

/** How long before a token expires a new one is requested; a short-lived token is renewed after half of its life. */
const renewedBeforeSeconds = 60;
const longestLifeSeconds = 24 * 60 * 60;

export const vatRegistryPace: Pace = {
  totalMilliseconds: 20_000,
  attemptMilliseconds: 5000,
  attempts: 4,
  firstBackoffMilliseconds: 500,
  concurrency: 4,
  /** Any second overlaps at most three windows. */
  requestsOfWindow: 1,
  windowSeconds: 0.5,
  failuresUntilPause: 5,
  pauseMilliseconds: 30_000,
};

/** The register behind HMRC's API. All callers share its access token. */
export function vatRegistry(access: VatRegistryAccess, logger: Logger, pace: Pace = vatRegistryPace): Registry {
  let current = '';
  let pending: Promise<string> | undefined;
  /** By a monotonic clock, so that setting the system time has no effect. */
  let renewAt = -Infinity;

  async function renew(exchange: Exchange): Promise<string> {
    const token = await exchange((signal) => requestToken(access, signal), { shared: true });
    const life = Math.min(token.expires_in, longestLifeSeconds);
    renewAt = performance.now() + Math.max(life - renewedBeforeSeconds, life / 2) * 1000;
    return (current = token.access_token);
  }

  async function look(vatNumber: string, exchange: Exchange): Promise<RegistryRecord | undefined> {
    let token = current;
    if (performance.now() >= renewAt) token = await (pending ??= renew(exchange).finally(() => (pending = undefined)));
    try {
      return await exchange((signal) => requestVatRegistration(access, { vatNumber, token }, signal));
    } catch (error) {
      // Forgets a token that was refused, unless a newer one has replaced it.
      if (error instanceof RefusedTokenError && token === current) renewAt = -Infinity;
      throw error;
    }
  }

  const api: PacedApi = {
    name: `UK VAT register (${access.url.host})`,
    kinds: ['uk-vat-number'],
    description: 'the VAT register',
    // Replaces a token once if it expired early or was revoked.
    ask: (vatNumber, exchange) =>
      look(vatNumber, exchange).catch((error: unknown) => {
        if (error instanceof RefusedTokenError) return look(vatNumber, exchange);
        throw error;
      }),
  };
  return pacedRegistry(api, logger, pace);
}
