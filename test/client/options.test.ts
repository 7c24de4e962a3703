import { afterEach, expect, jest, test } from '@jest/globals';
import { type ClientOptions, createClient } from '../../client/index.ts';
import { openApiDocument } from '../../src/domain/case-import.ts';
import { clientOf, failureOf } from '../support/client.ts';
import { settingPath } from '../support/harness.ts';

/** Sends no response, and keeps what was asked. */
function recorder() {
  const requests: Request[] = [];
  const fetch = (request: Request) => {
    requests.push(request);
    return Promise.resolve(Response.json({ enabled: true }));
  };
  return { requests, fetch };
}

afterEach(() => {
  jest.restoreAllMocks();
});

/** The requests of both APIs, by a client with these options. */
async function requestsWith(options: Partial<ClientOptions> & Pick<ClientOptions, 'region'>): Promise<Request[]> {
  const { requests, fetch } = recorder();
  const client = createClient({ apiKey: 'key', accessToken: 'token', fetch, ...options });
  await client.getVerificationSetting();
  await client.getCase('1');
  return requests;
}

test.each(['uk', 'ca'] as const)('region %s is called at the addresses that the document gives it', async (region) => {
  const requests = await requestsWith({ region });
  const inRegion = (servers: { url: string; description?: string }[] = []) =>
    servers.find(({ description = '' }) => description.startsWith(`${region.toUpperCase()} region`))?.url ?? '';
  const cases = openApiDocument.paths?.['/cases/{id}']?.servers;
  const urls = [`${inRegion(openApiDocument.servers)}${settingPath}`, `${inRegion(cases)}/cases/1`];
  expect(requests.map(({ url }) => url)).toEqual(urls);
  const credentials = requests.map(({ headers }) => [headers.get('x-api-key'), headers.get('authorization')]);
  expect(credentials.flat()).toEqual(['key', null, null, 'Bearer token']);
});

test.each([
  [{ baseUrl: 'http://a.example/v1/' }, ['http://a.example/v1', 'http://a.example/v1']],
  [{ baseUrl: 'http://a.example', caseBaseUrl: 'http://b.example' }, ['http://a.example', 'http://b.example']],
  [{ caseBaseUrl: 'http://b.example' }, ['https://api.uk.document-analysis.example', 'http://b.example']],
])('%j are called in place of the region', async (addresses, [organisations, cases]) => {
  const requests = await requestsWith({ region: 'uk', ...addresses });
  expect(requests.map(({ url }) => url)).toEqual([`${organisations}${settingPath}`, `${cases}/cases/1`]);
});

test('the fetch of the platform is looked up at each call, so that it can be instrumented', async () => {
  const client = createClient({ region: 'uk', apiKey: 'key' });
  const { fetch, requests } = recorder();
  jest.spyOn(globalThis, 'fetch').mockImplementation((input) => fetch(input as Request));
  await client.getVerificationSetting();
  expect(requests).toHaveLength(1);
});

test.each([
  [{ region: 'us' }, 'region must be one of uk, ca.'],
  [{ region: 'toString' }, 'region must be one of uk, ca.'],
  [{ region: undefined }, 'region must be one of uk, ca.'],
  [{ retries: -1 }, 'retries must be'],
  [{ retries: 1.5 }, 'retries must be'],
  [{ retries: Infinity }, 'retries must be'],
  [{ timeoutSeconds: 0 }, 'timeoutSeconds must be'],
  [{ timeoutSeconds: NaN }, 'timeoutSeconds must be'],
  [{ timeoutSeconds: 86_401 }, 'timeoutSeconds must be'],
  [{ baseUrl: 'api.example.com' }, 'baseUrl must be'],
  [{ baseUrl: '' }, 'baseUrl must be'],
  [{ baseUrl: 'file:///etc' }, 'baseUrl must be'],
  [{ caseBaseUrl: 'https://api.example.com/?a' }, 'caseBaseUrl must be'],
])('%j is refused in words', (options, message) => {
  expect(() => clientOf('http://a.example', options as never)).toThrow(message);
});

test.each(['', '.', '..', undefined, 7])('the identifier %j is refused before anything is sent', async (id) => {
  const { requests, fetch } = recorder();
  const error = await failureOf(clientOf('http://a.example', { fetch }).getCase(id as string));
  expect(String(error)).toBe('TypeError: id must be a string that is neither empty nor "." nor "..".');
  expect(requests).toHaveLength(0);
});
