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

export function below(base: URL, path: string): URL {
  return new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
}

/** Sends a request. Redirects, which would send the credentials elsewhere, are not followed. @throws {FailedAttempt} */
export async function send(url: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, redirect: 'manual' });
  } catch (error) {
    throw connectionFailure(error);
  }
}

/** @throws {FailedAttempt} unless the body is complete, within the size limit, and JSON */
export async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response);
  try {
    return JSON.parse(text);
  } catch {
    throw new FailedAttempt('misconfigured', 'its response is not JSON');
  }
}

/** The failure that a status means for any API. Does not read the body. */
export async function failureOf(response: Response, waitSeconds: number): Promise<FailedAttempt> {
  await response.body?.cancel();
  const { status, headers } = response;
  const asked = retryAfterSeconds(headers.get('retry-after'));
  if (status === 429) return new FailedAttempt('limited', 'its rate limit is exhausted', asked ?? waitSeconds);
  if (status === 503) return new FailedAttempt('unavailable', 'it responded with status 503', asked);
  return new FailedAttempt(status >= 500 ? 'unavailable' : 'misconfigured', `it responded with status ${status}`);
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

/** Uses only the error's code, because the platform's message may contain an address. */
function connectionFailure(error: unknown): FailedAttempt {
  const { cause, name } = error as Error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return new FailedAttempt('unavailable', `the connection failed (${typeof code === 'string' ? code : name})`);
}
