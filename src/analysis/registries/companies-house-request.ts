/** One request to the public API of the UK register, and what its response means. */
import { Ajv } from 'ajv';
import type { RegistryRecord } from '../../domain/analysis.ts';

const maxResponseBytes = 262_144;

/** Where the API is, and what it knows the caller by. */
export interface CompaniesHouseAccess {
  readonly url: URL;
  readonly apiKey: string;
}

/** The request had no usable response. The message is for people and repeats nothing of what was sent or received. */
export class FailedAttempt extends Error {
  override readonly name = 'FailedAttempt';
  /** `unavailable`: the next try may succeed. `limited`: so it may, after a wait. `misconfigured`: something is set up wrongly. */
  readonly kind: 'unavailable' | 'limited' | 'misconfigured';
  readonly waitSeconds: number;

  constructor(kind: FailedAttempt['kind'], message: string, waitSeconds = 0) {
    super(message);
    this.kind = kind;
    this.waitSeconds = waitSeconds;
  }
}

interface Company {
  company_name: string;
  company_number: string;
  company_status?: string;
}

const ajv = new Ajv();
const isCompany = ajv.compile<Company>({
  type: 'object',
  required: ['company_name', 'company_number'],
  properties: {
    company_name: { type: 'string', minLength: 1, maxLength: 1000 },
    company_number: { type: 'string' },
    company_status: { type: 'string', maxLength: 100 },
  },
});
const saysUnknown = ajv.compile({
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      contains: { type: 'object', required: ['error'], properties: { error: { const: 'company-profile-not-found' } } },
    },
  },
});

/**
 * Asks for a company by its number; undefined if the register has none of that number.
 * @throws {FailedAttempt} unless the response is one of these two, whole and in the register's own form
 */
export async function requestCompany(
  { url, apiKey }: CompaniesHouseAccess,
  companyNumber: string,
  signal: AbortSignal,
): Promise<RegistryRecord | undefined> {
  const response = await send(new URL(`company/${encodeURIComponent(companyNumber)}`, withSlash(url)), apiKey, signal);
  if (response.status !== 200 && response.status !== 404) {
    await response.body?.cancel();
    throw failureOf(response);
  }
  const body = parse(await readText(response));
  if (response.status === 404) {
    if (saysUnknown(body)) return undefined;
    throw new FailedAttempt('misconfigured', 'it responded 404 in another form than the register does');
  }
  if (!isCompany(body) || body.company_number !== companyNumber)
    throw new FailedAttempt(
      'misconfigured',
      'its response is not the company that was asked for in the form of the register',
    );
  return { value: body.company_number, name: body.company_name, status: body.company_status ?? '' };
}

async function send(url: URL, apiKey: string, signal: AbortSignal): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
  try {
    // A redirect is not followed: it would take the key elsewhere.
    return await fetch(url, { headers: { authorization, accept: 'application/json' }, redirect: 'manual', signal });
  } catch (error) {
    throw connectionFailure(error);
  }
}

function failureOf({ status, headers }: Response): FailedAttempt {
  if (status === 429) return new FailedAttempt('limited', 'its rate limit is exhausted', waitSecondsOf(headers));
  if (status === 401 || status === 403)
    return new FailedAttempt('misconfigured', `it refuses the API key (status ${status})`);
  if (status === 503)
    return new FailedAttempt('unavailable', 'it responded with status 503', waitSecondsOf(headers, 0));
  return new FailedAttempt(status >= 500 ? 'unavailable' : 'misconfigured', `it responded with status ${status}`);
}

/** What the register asks to wait: it tells the second at which its window ends, and seldom sends Retry-After. */
function waitSecondsOf(headers: Headers, otherwise = 60): number {
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN) - Date.now() / 1000;
  return retryAfterSeconds(headers.get('retry-after')) ?? (Number.isNaN(reset) ? otherwise : Math.max(0, reset));
}

/** What a Retry-After header asks to wait (RFC 9110, section 10.2.3); undefined if it is absent or says nothing. */
function retryAfterSeconds(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxResponseBytes)
        throw new FailedAttempt('misconfigured', `its response is larger than ${maxResponseBytes / 1024} KiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof FailedAttempt ? error : connectionFailure(error);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FailedAttempt('misconfigured', 'its response is not JSON');
  }
}

/** The platform's own text may hold an address, so only its code is told. */
function connectionFailure(error: unknown): FailedAttempt {
  const { cause, name } = error as Error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return new FailedAttempt('unavailable', `the connection failed (${typeof code === 'string' ? code : name})`);
}

function withSlash(url: URL): URL {
  return new URL(url.href.endsWith('/') ? url.href : `${url.href}/`);
}
