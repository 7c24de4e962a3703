import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from './misbehaving-servers.ts';
import { RegistryUnavailableError } from '../../src/analysis/registries/registry.ts';

/** What the API was asked. */
export interface CompaniesHouseRequest {
  path: string;
  authorization: string | undefined;
}

/** Responds to one request in another way than the register does. */
export type Misbehaviour = (response: http.ServerResponse) => void;

/** A server that speaks the UK register's public API, and can be told to misbehave. */
export interface CompaniesHouseServer {
  readonly url: URL;
  readonly requests: CompaniesHouseRequest[];
  /** The most requests in flight at once. */
  mostAtOnce: number;
  /** How it responds to the next requests, one after the other; then it responds as the register does. */
  next: Misbehaviour[];
  /** How it responds to every request; undefined if it responds as the register does. */
  always: Misbehaviour | undefined;
  close(): Promise<void>;
}

/** The key that the server accepts. */
export const companiesHouseKey = 'b4e52f0a-1c7d-4f39-a6b8-0d93e1c75f24';

const accepted = `Basic ${Buffer.from(`${companiesHouseKey}:`).toString('base64')}`;

/** Companies by their numbers. */
export const registeredCompanies: Record<string, object> = {
  '01234567': { company_name: 'ACME LIMITED', company_number: '01234567', company_status: 'active', type: 'ltd' },
  RC000123: { company_name: 'THE ROYAL SOCIETY', company_number: 'RC000123', type: 'royal-charter' },
};

export async function startCompaniesHouse(): Promise<CompaniesHouseServer> {
  let atOnce = 0;
  const listener: http.RequestListener = (request, response) => {
    started.requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
    started.mostAtOnce = Math.max(started.mostAtOnce, (atOnce += 1));
    response.on('close', () => (atOnce -= 1));
    const misbehave = started.next.shift() ?? started.always ?? respondAsRegister(request);
    misbehave(response);
  };
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const started: CompaniesHouseServer = {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    requests: [],
    mostAtOnce: 0,
    next: [],
    always: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}

/** Responds with a status, and a body that is given as text or as what becomes JSON. */
export function responding(
  status: number,
  body: unknown = { error: 'Internal server error', type: 'ch:service' },
  headers: http.OutgoingHttpHeaders = {},
): Misbehaviour {
  return (response) => {
    response.writeHead(status, { ...json, ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Says that the limit of 600 requests is exhausted. */
export function limited(headers: http.OutgoingHttpHeaders): Misbehaviour {
  return responding(429, '', { 'X-Ratelimit-Limit': '600', 'X-Ratelimit-Remain': '0', ...headers });
}

/** Never responds. */
export const silent: Misbehaviour = () => undefined;

/** Closes the connection without a response. */
export const hangUp: Misbehaviour = (response) => response.socket?.destroy();

function respondAsRegister({ url = '', headers: { authorization } }: http.IncomingMessage): Misbehaviour {
  if (authorization !== accepted) return responding(401, { error: 'Invalid Authorization', type: 'ch:service' });
  const company = registeredCompanies[url.replace('/company/', '')];
  const headers = { 'X-Ratelimit-Limit': '600', 'X-Ratelimit-Remain': '599', 'X-Ratelimit-Window': '5m' };
  if (company) return responding(200, company, headers);
  return responding(404, { errors: [{ error: 'company-profile-not-found', type: 'ch:service' }] }, headers);
}

/** The reason why a registry gives no response. */
export async function reasonOf(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    () => new Error('it gave a response'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RegistryUnavailableError)) throw error as Error;
  return error.message;
}
