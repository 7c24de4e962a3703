import type { AddressInfo } from 'node:net';
import { type Client, type ClientOptions, createClient } from '../../client/index.ts';
import type { Harness } from './harness.ts';

/** A client of region uk that calls this address; what the options leave out is as it is by default. */
export function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  return createClient({ region: 'uk', apiKey: 'an-api-key', accessToken: 'an-access-token', baseUrl, ...options });
}

/** Where a harness listens. */
export function addressOf({ server }: Pick<Harness, 'server'>): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What a call throws; a call that does not fail does. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const result = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in result) return result.error;
  throw new Error(`The call succeeded: ${JSON.stringify(result.value)}`);
}
