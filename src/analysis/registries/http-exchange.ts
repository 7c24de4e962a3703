/** HTTP requests to the API of a registry, and the ways in which they can fail. */
import { Ajv, type ValidateFunction } from 'ajv';

const maxResponseBytes = 262_144;

type Properties = Readonly<Record<string, object>>;

export function objectOf(required: Properties, optional: Properties = {}): object {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional } };
}

const ajv = new Ajv();

export function formatOf<T>(...properties: Parameters<typeof objectOf>): ValidateFunction<T> {
  return ajv.compile<T>(objectOf(...properties));
}

/** A request without a usable response. The message is for people and repeats nothing that was sent or received. */
export class FailedAttempt extends Error {
  override readonly name = 'FailedAttempt';
  /** `unavailable`: the next attempt may succeed; `limited`: after a wait; `misconfigured`: the setup is wrong. */
  readonly kind: 'unavailable' | 'limited' | 'misconfigured';
  readonly waitSeconds: number;

  constructor(kind: FailedAttempt['kind'], message: string, waitSeconds = 0) {
    super(message);
    this.kind = kind;
    this.waitSeconds = waitSeconds;
  }
}

/** A registry's response, unless it was unavailable or limited. A body that is not JSON is undefined. */
export interface RegistryResponse {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Sends a request to a path below an API's address. Redirects, which would send the credentials elsewhere, are not followed.
 * @param waitSecondsOf how long to wait after status 429 without a Retry-After
 * @throws {FailedAttempt} if no complete response comes, or its status is 429 or a server error
 */
export async function send(
  base: URL,
  path: string,
  request: RequestInit,
  waitSecondsOf: (headers: Headers) => number,
): Promise<RegistryResponse> {
  const url = new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
  try {
    const response = await fetch(url, { ...request, redirect: 'manual' });
    const { status, headers } = response;
    if (status !== 429 && status < 500) return { status, body: parsed(await readText(response)) };
    await response.body?.cancel();
    const asked = retryAfterSeconds(headers.get('retry-after'));
    throw status === 429
      ? new FailedAttempt('limited', 'its rate limit is exhausted', asked ?? waitSecondsOf(headers))
      : new FailedAttempt('unavailable', `it responded with status ${status}`, status === 503 ? asked : undefined);
  } catch (error) {
    throw error instanceof FailedAttempt ? error : connectionFailure(error);
  }
}

/** The error for a response that matches none of the published formats. */
export function unpublished({ status }: RegistryResponse): FailedAttempt {
  const otherForm = status === 200 || status === 404 ? ', but not in the published format for this number' : '';
  return new FailedAttempt('misconfigured', `it responded with status ${status}${otherForm}`);
}

/** How long a Retry-After header asks to wait (RFC 9110, section 10.2.3); undefined if it is absent or invalid. */
function retryAfterSeconds(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxResponseBytes)
      throw new FailedAttempt('misconfigured', `its response is larger than ${maxResponseBytes / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Uses only the error's code, because the platform's message may contain an address. */
function connectionFailure(error: unknown): FailedAttempt {
  const { cause, name } = error as Error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return new FailedAttempt('unavailable', `the connection failed (${typeof code === 'string' ? code : name})`);
}
