/**
 * Every documented response of every operation is tested: here if its tests follow from the document alone, else in a file of
 * its own, whose `describeResponse` fails unless a test saw that response.
 */
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Operation } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { type OperationId, securitySchemes } from '../../generated/operations.ts';
import { fileNameOf } from '../../scripts/generate/files.ts';
import { isDerived, refusedRequestsOf, validRequestOf } from '../../scripts/generate/stubs/requests.ts';
import { type Credential, generateSecret } from '../../src/domain/credential.ts';
import type { Region } from '../../src/domain/region.ts';
import { memoryRateLimits } from '../../src/rate-limits/rate-limit-store.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { addCaller, presented, type Right, schemesOf } from '../support/callers.ts';
import { type Harness, misplacedFields, startHarness } from '../support/harness.ts';
import { addCredential, addOrganisation } from '../support/tenants.ts';

/** What a store, and counters of requests, fail with: every operation needs one of them. */
let failure: Error | undefined;

const api = await startHarness();
const failing = await startHarness({
  wrapStore: (store) =>
    new Proxy(store, {
      get: (target, name: keyof typeof store) => {
        const error = failure;
        if (error) return () => Promise.reject(error);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }),
  rateLimitStore: {
    ...memoryRateLimits,
    counterOf: (limit) => {
      const count = memoryRateLimits.counterOf(limit);
      return (key) => (failure ? Promise.reject(failure) : count(key));
    },
  },
});

const idOf = ({ operationId }: Operation) => operationId as OperationId;
const isPublic = ({ security }: Operation) => security.length === 0;

type Sent = ReturnType<typeof validRequestOf>;
function send(server: Harness, { method, path, headers: own, body }: Sent, headers: object = {}) {
  return server.call(method, path, { headers: { ...own, ...headers }, body: body as string });
}

/** Headers of somebody who may call the operation, or lacks a right that it requires. */
async function headersFor(operation: Operation, server = api, ...missing: readonly Right[]) {
  return isPublic(operation) ? {} : (await addCaller(server.store, idOf(operation), ...missing)).headers;
}

/** Requests that are refused whoever sends them. */
const refusedWhoever = (operation: Operation) =>
  ['400', '413', '415'].flatMap((status) => Object.values(refusedRequestsOf(operation, status)));

function refusedRequests(operation: Operation, status: string): void {
  test.each(Object.entries(refusedRequestsOf(operation, status)))('refuses %s', async (_, request) => {
    const response = await send(api, request, await headersFor(operation));
    expect(response.status).toBe(Number(status));
  });
}

function refusedCredentials(operation: Operation): void {
  const schemes = schemesOf(idOf(operation));
  const [scheme = 'apiKey'] = schemes;
  const isKey = securitySchemes[scheme].type === 'apiKey';
  const [kind, otherKind] = isKey ? (['api-key', 'access-token'] as const) : (['access-token', 'api-key'] as const);
  const issue = async (overrides: Partial<Credential> = {}, region: Region = 'uk') => {
    const { kind: issued } = { kind, ...overrides };
    const role = issued === 'api-key' ? 'owner' : null;
    return addCredential(api.store, await addOrganisation(api.store), { kind, role, ...overrides }, region);
  };
  const secretOf = async (...how: Parameters<typeof issue>) => (await issue(...how)).secret;
  const call = (secret?: string, request = validRequestOf(operation)) =>
    send(api, request, secret === undefined ? {} : presented(scheme, secret));

  const refused: Record<string, () => string | undefined | Promise<string>> = {
    'no credential': () => undefined,
    'an empty credential': () => '',
    'a credential of no known form': () => 'not-a-secret',
    'a well-formed credential that was never issued': () => generateSecret(kind, 'uk'),
    'a credential with one letter changed': async () =>
      (await secretOf()).replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
    'a credential with something added': async () => `${await secretOf()}x`,
    'an expired credential': () => secretOf({ expires_at: '2026-01-02T00:00:00.000Z' }),
    'a revoked credential': () => secretOf({ revoked_at: '2026-01-02T00:00:00.000Z' }),
    'a credential of the other region': () => secretOf({}, 'ca'),
    'a credential of the other kind': () => secretOf({ kind: otherKind }),
  };
  const challenges = new Set<string>();
  test.each(Object.entries(refused))('refuses %s', async (name, secret) => {
    const { status, headers, body } = await call(await secret());
    const error_message = 'The credential is missing or not valid.';
    expect([status, body]).toEqual([401, { error_code: 'request.authentication.invalid-token', error_message }]);
    if (name !== 'no credential') challenges.add(String(headers['www-authenticate']));
  });

  test('says the same of every credential that it refuses', () => {
    expect(challenges.size).toBe(1);
  });

  if (schemes.length === 1)
    test('accepts a credential until the moment of its revocation', async () => {
      const { secret, credentialId } = await issue();
      expect((await call(secret)).status).not.toBe(401);
      await api.store.revokeCredential(credentialId, '2026-01-02T00:00:00.000Z');
      expect((await call(secret)).status).toBe(401);
    });

  test('comes before any look at what is wrong with a request', async () => {
    for (const request of refusedWhoever(operation)) expect((await call(undefined, request)).status).toBe(401);
  });
}

function forbidden(operation: Operation): void {
  const codes = {
    permission: operation.requiredPermission === null ? undefined : 'request.forbidden',
    feature: operation.requiredFeature === null ? undefined : 'request.organisations.feature-flag.not-enabled',
  };
  const rights = (Object.keys(codes) as Right[]).filter((right) => codes[right] !== undefined);
  const sets = rights.length > 1 ? [rights, ...rights.map((right) => [right])] : [rights];

  const callers = sets.map((missing) => ({ missing }));
  test.each(callers)(
    'refuses a caller without $missing, whatever is sent, and names the first',
    async ({ missing }) => {
      const headers = await headersFor(operation, api, ...missing);
      for (const request of [validRequestOf(operation), ...refusedWhoever(operation)]) {
        const { status, body } = await send(api, request, headers);
        expect([status, body]).toMatchObject([403, { error_code: codes[missing[0] ?? 'permission'] }]);
      }
    },
  );
}

function exhaustedLimit(operation: Operation): void {
  let server: Harness;
  beforeAll(async () => {
    server = await startHarness({ rateLimits: { requests: 2, failedAuthentications: 3, publicRequests: 2 } });
  });
  const call = (headers: object = {}, request = validRequestOf(operation)) => send(server, request, headers);
  const statuses = async (times: number, headers?: object) => {
    const seen: number[] = [];
    for (let index = 0; index < times; index += 1) seen.push((await call(headers)).status);
    return seen;
  };

  test('refuses who has used up the quota, whatever is sent, and says when to come back', async () => {
    const caller = await headersFor(operation, server);
    // The seconds of the window are counted down meanwhile, on a loaded machine past the first.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const [first, second, third] = await statuses(3, caller);
    const { headers, body } = await call(caller);
    expect([first, second]).not.toContain(429);
    expect([third, body]).toMatchObject([429, { error_code: 'request.rate-limit.exceeded' }]);
    const name = isPublic(operation) ? 'public' : 'credential';
    const told = { 'ratelimit-policy': `"${name}";q=2;w=60`, ratelimit: `"${name}";r=0;t=60`, 'retry-after': '60' };
    expect(headers).toMatchObject(told);
    for (const request of refusedWhoever(operation)) expect((await call(caller, request)).status).toBe(429);
    clock.mockRestore();
  });

  if (isPublic(operation)) return;

  test('comes before permission and feature', async () => {
    const { headers } = await addCaller(server.store, idOf(operation), 'permission', 'feature');
    expect((await statuses(3, headers)).at(-1)).toBe(429);
  });

  test('leaves other credentials alone', async () => {
    await statuses(3, await headersFor(operation, server));
    expect((await call(await headersFor(operation, server))).status).not.toBe(429);
  });

  test('refuses an address that has failed to authenticate too often, but never a valid credential there', async () => {
    expect(await statuses(4)).toEqual([401, 401, 401, 429]);
    expect((await call()).headers).toMatchObject({ 'ratelimit-policy': '"failed-authentication";q=3;w=60' });
    expect((await call(await headersFor(operation, server))).status).not.toBe(429);
  });
}

async function callFailing(operation: Operation, error: Error) {
  const headers = await headersFor(operation, failing);
  failure = error;
  try {
    return await send(failing, validRequestOf(operation), headers);
  } finally {
    failure = undefined;
  }
}

function unexpectedError(operation: Operation): void {
  test('responds with 500 to an unexpected error and tells its detail to the log alone', async () => {
    const { status, text, headers } = await callFailing(operation, new Error('SELECT secret FROM credential'));
    expect([status, JSON.parse(text)]).toMatchObject([500, { error_code: 'service.internal-error' }]);
    expect(text + JSON.stringify(headers)).not.toContain('SELECT');
    expect(failing.log.join()).toContain('SELECT secret FROM credential');
    expect(failing.log.join()).toContain(headers['x-request-id']);
  });
}

function unavailable(operation: Operation): void {
  test('responds with 503 and Retry-After while the store is unavailable', async () => {
    const { status, body, headers } = await callFailing(operation, new StoreUnavailableError('database is locked'));
    expect([status, body]).toMatchObject([503, { error_code: 'service.unavailable' }]);
    expect(headers).toMatchObject({ 'retry-after': '5' });
  });
}

const derived: Readonly<Record<string, (operation: Operation, status: string) => void>> = {
  401: refusedCredentials,
  403: forbidden,
  429: exhaustedLimit,
  500: unexpectedError,
  503: unavailable,
};

describe.each([...ownDocument.operations])('$operationId', (operation) => {
  describe.each(Object.keys(operation.responses).filter((key) => /^\d{3}$/.test(key)))('%s', (status) => {
    if (isDerived(operation, status)) {
      (derived[status] ?? refusedRequests)(operation, status);
      return;
    }
    test('has a file of tests', () => {
      const file = new URL(`${fileNameOf(operation.operationId)}/${status}.test.ts`, import.meta.url);
      const text = existsSync(file) ? readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ') : '';
      expect(text).toMatch(new RegExp(`describeResponse\\( ?'${operation.operationId}', ${status},`));
    });
  });
});

test('each example has its fields in the order of its schema', () => {
  const { operations: described, schemas, serviceResponses } = ownDocument;
  const responses = [...described.map((operation) => operation.responses), serviceResponses];
  const contents = responses.flatMap((each) => Object.values(each).flatMap(({ content }) => Object.values(content)));
  const examples = contents.flatMap(({ schema, examples: each }) =>
    Object.values(each).map(({ value }) => misplacedFields(schema, value)),
  );
  expect(examples.length).toBeGreaterThan(15);
  const ofSchemas = Object.values(schemas).map((schema) => misplacedFields(schema, schema.example));
  expect([examples, ofSchemas].flat(2)).toEqual([]);
});
