import http from 'node:http';
import { listenOnFreePort } from './listen-on-free-port.ts';
import { json } from './misbehaving-servers.ts';
import { RegistryUnavailableError } from '../../src/analysis/registries/registry.ts';

export interface CompaniesHouseRequest {
  path: string;
  authorization: string | undefined;
}

export type Misbehaviour = (response: http.ServerResponse) => void;

interface MisbehavingServer<Request> {
  readonly url: URL;
  readonly requests: Request[];
  /** How it responds to the next requests, one after the other; then it responds as the register does. */
  next: Misbehaviour[];
  /** How it responds to every request; undefined if it responds as the register does. */
  always: Misbehaviour | undefined;
  close(): Promise<void>;
}

export interface CompaniesHouseServer extends MisbehavingServer<CompaniesHouseRequest> {
  mostAtOnce: number;
}

export const companiesHouseKey = 'b4e52f0a-1c7d-4f39-a6b8-0d93e1c75f24';

const accepted = `Basic ${Buffer.from(`${companiesHouseKey}:`).toString('base64')}`;

const registeredCompanies: Record<string, object> = {
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
  const served = await serve(listener);
  const started: CompaniesHouseServer = { ...served, requests: [], mostAtOnce: 0, next: [], always: undefined };
  return started;
}

async function serve(listener: http.RequestListener): Promise<{ url: URL; close: () => Promise<void> }> {
  const { url, close } = await listenOnFreePort(http.createServer(listener));
  return { url: new URL(url), close };
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

function respondAsRegister({ url = '', headers: { authorization } }: http.IncomingMessage): Misbehaviour {
  if (authorization !== accepted) return responding(401, { error: 'Invalid Authorization', type: 'ch:service' });
  const company = registeredCompanies[url.replace('/company/', '')];
  const headers = { 'X-Ratelimit-Limit': '600', 'X-Ratelimit-Remain': '599', 'X-Ratelimit-Window': '5m' };
  if (company) return responding(200, company, headers);
  return responding(404, { errors: [{ error: 'company-profile-not-found', type: 'ch:service' }] }, headers);
}

export async function reasonOf(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    () => new Error('it gave a response'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RegistryUnavailableError)) throw error as Error;
  return error.message;
}

export interface VatRegistryRequest {
  method: string;
  path: string;
  accept: string | undefined;
  authorization: string | undefined;
  form: Record<string, string>;
}

/** A server that speaks HMRC's "Check a UK VAT number" API, version 2, and misbehaves at look-ups. */
export interface VatRegistryServer extends MisbehavingServer<VatRegistryRequest> {
  /** How it responds to every token request; undefined if it gives a token. */
  token: Misbehaviour | undefined;
  /** The seconds that each token is said to live. */
  lifetimeSeconds: number;
  revokeTokens(): void;
  count(path: string): number;
}

export const vatCredentials = { clientId: 'vat-client-id', clientSecret: 'b4e52f0a-1c7d-4f39-a6b8-0d93e1c75f24' };

export const vatPath = (digits: string) => `/organisations/vat/check-vat-number/lookup/${digits}`;

/** The error forms that HMRC publishes: `{ "code", "message" }`. */
export const vatError = (status: number, code: string, headers: http.OutgoingHttpHeaders = {}): Misbehaviour =>
  responding(status, { code, message: `what ${code} means` }, headers);

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

export async function startVatRegistry(): Promise<VatRegistryServer> {
  const valid = new Set<string>();
  let given = 0;
  const respondToToken = ({ form }: VatRegistryRequest): Misbehaviour => {
    const { clientId, clientSecret } = vatCredentials;
    if (form['client_id'] !== clientId || form['client_secret'] !== clientSecret)
      return responding(401, { error: 'invalid_client', error_description: 'invalid client id or secret' });
    if (form['grant_type'] !== 'client_credentials')
      return responding(400, { error: 'invalid_request', error_description: 'grant_type is required' });
    const token = `token-${(given += 1)}-QGbWG8KckncuwwD4uYXgWxF4HQvuPmrm`;
    valid.add(token);
    const fields = { access_token: token, scope: 'read:vat', expires_in: started.lifetimeSeconds };
    return responding(200, { ...fields, token_type: 'bearer' });
  };
  const respondToLookup = ({ path, accept, authorization = '' }: VatRegistryRequest): Misbehaviour => {
    if (accept !== 'application/vnd.hmrc.2.0+json') return vatError(406, 'ACCEPT_HEADER_INVALID');
    if (!valid.has(authorization.replace('Bearer ', ''))) return vatError(401, 'INVALID_CREDENTIALS');
    const digits = path.replace(vatPath(''), '');
    if (!/^(\d{9}|\d{12})$/.test(digits)) return vatError(400, 'INVALID_REQUEST');
    const name = registered[digits];
    return name === undefined ? vatError(404, 'NOT_FOUND') : registration(digits, name);
  };
  const served = await serve((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const { method = '', url: path = '', headers } = message;
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      const request = { method, path, accept: headers.accept, authorization: headers.authorization, form };
      started.requests.push(request);
      const respond =
        path === '/oauth/token'
          ? (started.token ?? respondToToken(request))
          : (started.next.shift() ?? started.always ?? respondToLookup(request));
      respond(response);
    });
  });
  const started: VatRegistryServer = {
    ...{ ...served, requests: [], next: [], always: undefined, token: undefined },
    lifetimeSeconds: 14_400,
    revokeTokens: () => {
      valid.clear();
    },
    count: (path) => started.requests.filter((request) => request.path === path).length,
  };
  return started;
}
