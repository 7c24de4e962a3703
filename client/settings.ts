import { type Credentials, type Region, servers } from './generated/client.ts';
import type { Credential } from './credential.ts';

const longestTimeoutSeconds = 86_400;

/** How a client reaches the service. */
export interface ClientOptions extends Credentials<Credential> {
  /** The region whose service is called. Credentials and data of one region are unknown to the other. */
  readonly region: Region;
  /** In place of the region's base address: a local server, a mock or a proxy. */
  readonly baseUrl?: string | undefined;
  /** In place of the region's base address of cases; `baseUrl`, if only that is given. */
  readonly caseBaseUrl?: string | undefined;
  /** The time of a call with all its attempts and the waits between them: 30 seconds if absent, at most a day. */
  readonly timeoutSeconds?: number | undefined;
  /** How often an idempotent call is tried again: twice if absent, 0 for never. */
  readonly retries?: number | undefined;
  /** In place of the platform's fetch. It must honour the request's `signal` and `redirect`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** The options with nothing left open. */
export interface ClientSettings {
  readonly addresses: Readonly<Record<'baseUrl' | 'caseBaseUrl', string>>;
  readonly credentials: Credentials<Credential>;
  readonly timeoutSeconds: number;
  readonly retries: number;
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * Completes the options.
 * @throws {TypeError} naming an option that cannot be used
 */
export function settingsOf(options: ClientOptions): ClientSettings {
  const { region, timeoutSeconds = 30, retries = 2, ...others } = options;
  if (!Object.hasOwn(servers, region)) throw new TypeError(`region must be one of ${Object.keys(servers).join(', ')}.`);
  if (!Number.isInteger(retries) || retries < 0) throw new TypeError('retries must be a whole number, 0 or more.');
  const { baseUrl, caseBaseUrl = baseUrl, fetch = (request) => globalThis.fetch(request), ...credentials } = others;
  return {
    addresses: {
      baseUrl: requireAddress('baseUrl', baseUrl ?? servers[region].baseUrl),
      caseBaseUrl: requireAddress('caseBaseUrl', caseBaseUrl ?? servers[region].caseBaseUrl),
    },
    credentials,
    timeoutSeconds: requireTimeout(timeoutSeconds),
    retries,
    fetch,
  };
}

/** @throws {TypeError} if no timer can run so long */
export function requireTimeout(seconds: number): number {
  if (seconds > 0 && seconds <= longestTimeoutSeconds) return seconds;
  throw new TypeError(`timeoutSeconds must be a number above 0 and at most ${longestTimeoutSeconds}.`);
}

/** The refusal does not quote the address: it may hold a password. */
function requireAddress(name: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !/[@?#]/.test(address)) return address;
  throw new TypeError(`${name} must be an http or https address without user, query or fragment.`);
}
