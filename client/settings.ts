import { type Credentials, type Region, servers } from './generated/client.ts';
import type { Credential } from './credential.ts';

const maxTimeoutSeconds = 86_400;

/** The options of a client. */
export interface ClientOptions extends Credentials<Credential> {
  /** The region whose service to call. The regions do not share credentials or data. */
  readonly region: Region;
  /** Overrides the region's base address: for a local server, a mock or a proxy. */
  readonly baseUrl?: string | undefined;
  /** Overrides the region's base address of cases; by default `baseUrl`, if that is given. */
  readonly caseBaseUrl?: string | undefined;
  /** The time limit of a call, including all attempts and waits: 30 seconds by default, at most a day. */
  readonly timeoutSeconds?: number | undefined;
  /** How often an idempotent call is retried: twice by default, 0 for never. */
  readonly retries?: number | undefined;
  /** Replaces the platform's fetch. It must honour the request's `signal` and `redirect`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** The options with all defaults filled in. */
export type ClientSettings = ReturnType<typeof settingsOf>;

/** Fills in the defaults of the options. @throws {TypeError} if an option is invalid; the message names it */
export function settingsOf(options: ClientOptions) {
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

/** @throws {TypeError} if the timeout is outside its bounds */
export function requireTimeout(seconds: number): number {
  if (seconds > 0 && seconds <= maxTimeoutSeconds) return seconds;
  throw new TypeError(`timeoutSeconds must be a number above 0 and at most ${maxTimeoutSeconds}.`);
}

/** The error does not quote the address, which may contain a password. */
function requireAddress(name: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !/[@?#]/.test(address)) return address;
  throw new TypeError(`${name} must be an http or https address without user, query or fragment.`);
}
