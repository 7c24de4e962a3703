/** The registries that have an API, which can be told to misbehave. */
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnFreePort } from './listen-on-free-port.ts';
import { json } from './misbehaving-servers.ts';
import { RegistryUnavailableError } from '../../src/analysis/registries/registry.ts';

interface RegistryRequest {
  readonly method: string;
  readonly path: string;
  readonly accept: string | undefined;
  readonly authorization: string | undefined;
  readonly form: Record<string, string>;
}

export type Misbehaviour = (response: http.ServerResponse) => void;

export type RegistryServer = Awaited<ReturnType<typeof startRegistry>>;

async function startRegistry(respond: (request: RegistryRequest) => Misbehaviour) {
  let atOnce = 0;
  const server = http.createServer((message, response) => {
    const { method = '', url: path = '', headers } = message;
    void text(message).then((body) => {
      const form = Object.fromEntries(new URLSearchParams(body));
      const request = { method, path, accept: headers.accept, authorization: headers.authorization, form };
      started.requests.push(request);
      started.mostAtOnce = Math.max(started.mostAtOnce, (atOnce += 1));
      response.on('close', () => (atOnce -= 1));
      const misbehave = path === '/oauth/token' ? started.token : (started.next.shift() ?? started.always);
      (misbehave ?? respond(request))(response);
    });
  });
  const { url, close } = await listenOnFreePort(server);
  const started = {
    url: new URL(url),
    close,
    requests: [] as RegistryRequest[],
    /** The most requests in flight at once. */
    mostAtOnce: 0,
    /** How it responds to the next requests, one after the other, then to every one, and to those for a token. */
    next: [] as Misbehaviour[],
    always: undefined as Misbehaviour | undefined,
    token: undefined as Misbehaviour | undefined,
    count: (of: string) => started.requests.filter((request) => request.path === of).length,
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

export function limited(headers: http.OutgoingHttpHeaders): Misbehaviour {
  return responding(429, '', { 'X-Ratelimit-Limit': '600', 'X-Ratelimit-Remain': '0', ...headers });
}

export const silent: Misbehaviour = () => undefined;

export const hangUp: Misbehaviour = (response) => response.socket?.destroy();

export async function reasonOf(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    () => new Error('it gave a response'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RegistryUnavailableError)) throw error as Error;
  return error.message;
}

export const companiesHouseKey = 'b4e52f0a-1c7d-4f39-a6b8-0d93e1c75f24';

const accepted = `Basic ${Buffer.from(`${companiesHouseKey}:`).toString('base64')}`;

const registeredCompanies: Record<string, object> = {
  '01234567': { company_name: 'ACME LIMITED', company_number: '01234567', company_status: 'active', type: 'ltd' },
  RC000123: { company_name: 'THE ROYAL SOCIETY', company_number: 'RC000123', type: 'royal-charter' },
};

/** The UK register's public API. */
export function startCompaniesHouse(): Promise<RegistryServer> {
  return startRegistry(({ path, authorization }) => {
    if (authorization !== accepted) return responding(401, { error: 'Invalid Authorization', type: 'ch:service' });
    const company = registeredCompanies[path.replace('/company/', '')];
    const headers = { 'X-Ratelimit-Limit': '600', 'X-Ratelimit-Remain': '599', 'X-Ratelimit-Window': '5m' };
    if (company) return responding(200, company, headers);
    return responding(404, { errors: [{ error: 'company-profile-not-found', type: 'ch:service' }] }, headers);
  });
}

export const vatCredentials = { clientId: 'vat-client-id', clientSecret: 'b4e52f0a-1c7d-4f39-a6b8-0d93e1c75f24' };

export const vatPath = (digits: string) => `/organisations/vat/check-vat-number/lookup/${digits}`;

/** The error forms that HMRC publishes: `{ "code", "message" }`. */
export const vatError = (status: number, code: string): Misbehaviour =>
  responding(status, { code, message: `what ${code} means` });

export const registration = (vatNumber: string, name: string): Misbehaviour =>
  responding(200, {
    target: { name, vatNumber, address: { line1: '131B Barton Hamlet', postcode: 'SW97 5CK', countryCode: 'GB' } },
    processingDate: '2026-05-13T22:50:27+01:00',
  });

const registered: Record<string, string> = {
  '123456782': 'ACME WIDGETS LIMITED',
  '553557881': 'Credite Sberger Donal Inc.',
  '146295999727': 'A BRANCH LIMITED',
};

export type VatRegistryServer = Awaited<ReturnType<typeof startVatRegistry>>;

/** HMRC's "Check a UK VAT number" API, version 2. */
export async function startVatRegistry() {
  const valid = new Set<string>();
  const tokens = {
    given: 0,
    lifetimeSeconds: 14_400,
    revoke: () => {
      valid.clear();
    },
  };
  const respondToToken = ({ form }: RegistryRequest): Misbehaviour => {
    const { clientId, clientSecret } = vatCredentials;
    if (form['client_id'] !== clientId || form['client_secret'] !== clientSecret)
      return responding(401, { error: 'invalid_client', error_description: 'invalid client id or secret' });
    const token = `token-${(tokens.given += 1)}-QGbWG8KckncuwwD4uYXgWxF4HQvuPmrm`;
    valid.add(token);
    const facts = { scope: 'read:vat', expires_in: tokens.lifetimeSeconds, token_type: 'bearer' };
    return responding(200, { access_token: token, ...facts });
  };
  const respondToLookup = ({ path, authorization = '' }: RegistryRequest): Misbehaviour => {
    if (!valid.has(authorization.replace('Bearer ', ''))) return vatError(401, 'INVALID_CREDENTIALS');
    const digits = path.replace(vatPath(''), '');
    const name = registered[digits];
    return name === undefined ? vatError(404, 'NOT_FOUND') : registration(digits, name);
  };
  const server = await startRegistry((request) =>
    request.path === '/oauth/token' ? respondToToken(request) : respondToLookup(request),
  );
  return Object.assign(server, { tokens });
}
