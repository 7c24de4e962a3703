import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { OperationId } from '../../generated/operations.ts';
import { matchOperation } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { type Harness, type HarnessOptions, startHarness } from './harness.ts';
import { describeDatabase } from './describe-postgres.ts';
import { memoryRateLimits } from '../../src/rate-limits/rate-limit-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import type { Credential } from '../../src/domain/credential.ts';
import type { Region } from '../../src/domain/region.ts';
import { type CredentialKind, generateSecret } from '../../src/domain/secret.ts';
import { addCredential, addOrganisation } from './tenants.ts';

type Tests = (api: Harness) => void;

/** Groups the tests of one response, and fails if none has seen it. Those of success run on either engine. */
export function describeResponse(
  operationId: OperationId,
  status: number,
  tests: Tests,
  options?: HarnessOptions,
): void {
  describeResponseOf(operationId, status, tests, options);
  if (status === 200)
    describeDatabase('on PostgreSQL', (database) => {
      const openStore = async () => openPostgresStore({ url: await database.freshUrl(), poolSize: 4 }, 'uk');
      describeResponseOf(operationId, status, tests, { ...options, openStore });
    });
}

function describeResponseOf(operationId: OperationId, status: number, tests: Tests, options?: HarnessOptions): void {
  describe(`${operationId} ${status}`, () => {
    const api = {} as Harness;
    const seen = new Set<number>();

    beforeAll(async () => {
      const harness = await startHarness(options);
      Object.assign(api, harness, {
        call: async (...[method, path, callOptions]: Parameters<Harness['call']>) => {
          const response = await harness.call(method, path, callOptions);
          if (matchOperation(ownDocument, method, path)?.operationId === operationId) seen.add(response.status);
          return response;
        },
      });
    });

    afterAll(() => api.close());

    tests(api);

    test('is the status of a response in these tests', () => {
      expect([...seen]).toContain(status);
    });
  });
}

/** A small limit for `testExhaustedLimit`. */
export const smallLimits: HarnessOptions = { rateLimits: { requests: 2, failedAuthentications: 3 } };

/** Tests that hold for the 429 of every operation, on a server with `smallLimits`. */
export function testExhaustedLimit(
  call: (secret: string) => ReturnType<Harness['call']>,
  issue: () => Promise<string>,
) {
  const statuses = async (secret: string, times: number) => {
    const seen: number[] = [];
    for (let index = 0; index < times; index += 1) seen.push((await call(secret)).status);
    return seen;
  };

  test('refuses a credential that has used up its quota, and says when to come back', async () => {
    const secret = await issue();
    // The seconds of the window are counted down meanwhile, on a loaded machine past the first.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const [first, second, third] = await statuses(secret, 3);
    expect([first, second]).not.toContain(429);
    expect(third).toBe(429);
    const { headers, body } = await call(secret);
    clock.mockRestore();
    expect(body).toMatchObject({ error_code: 'request.rate-limit.exceeded' });
    expect(headers).toMatchObject({ 'ratelimit-policy': '"credential";q=2;w=60', ratelimit: '"credential";r=0;t=60' });
    expect(Number(headers['retry-after'])).toBe(60);
  });

  test('leaves other credentials alone', async () => {
    await statuses(await issue(), 3);
    expect((await call(await issue())).status).not.toBe(429);
  });

  test('refuses an address that has failed to authenticate too often, but never a valid credential there', async () => {
    expect(await statuses('wrong', 4)).toEqual([401, 401, 401, 429]);
    expect((await call('wrong')).headers).toMatchObject({ 'ratelimit-policy': '"failed-authentication";q=3;w=60' });
    expect((await call(await issue())).status).not.toBe(429);
  });
}

type Call = () => ReturnType<Harness['call']>;

let failure: Error | undefined;

/** A store, and counters of requests, that fail as the tests below decide: every operation needs one of them. */
export const failingService: HarnessOptions = {
  wrapStore: (store: Store) =>
    new Proxy(store, {
      get: (target, name: keyof Store) => {
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
};

async function callFailing(call: Call, error: Error): ReturnType<Call> {
  failure = error;
  try {
    return await call();
  } finally {
    failure = undefined;
  }
}

/** A test that holds for the 500 response of every operation, on a server with `failingService`. */
export function testUnexpectedError(api: Harness, call: Call): void {
  test('responds with 500 to an unexpected error and tells its detail to the log alone', async () => {
    const { status, text, headers } = await callFailing(call, new Error('SELECT secret FROM credential'));
    expect([status, JSON.parse(text)]).toMatchObject([500, { error_code: 'service.internal-error' }]);
    expect(text).not.toContain('SELECT');
    expect(JSON.stringify(headers)).not.toContain('SELECT');
    expect(api.log.join()).toContain('SELECT secret FROM credential');
    expect(api.log.join()).toContain(headers['x-request-id']);
  });
}

/** A test that holds for the 503 response of every operation, on a server with `failingService`. */
export function testUnavailable(call: Call): void {
  test('responds with 503 and Retry-After while the store is unavailable', async () => {
    const { status, body, headers } = await callFailing(call, new StoreUnavailableError('database is locked'));
    expect([status, body]).toMatchObject([503, { error_code: 'service.unavailable' }]);
    expect(headers).toMatchObject({ 'retry-after': '5' });
  });
}

interface ProtectedOperation {
  kind: CredentialKind;
  /** Calls the operation with these headers. */
  call: (headers: Record<string, string>) => ReturnType<Harness['call']>;
  /** The header that presents a secret in the operation's own scheme. */
  present: (secret: string) => Record<string, string>;
}

const invalidToken = {
  error_code: 'request.authentication.invalid-token',
  error_message: 'The credential is missing or not valid.',
};

/** Tests that hold for the 401 of every operation. */
export function testRefusedCredentials(api: Harness, { kind, call, present }: ProtectedOperation): void {
  const otherKind = kind === 'api-key' ? 'access-token' : 'api-key';
  const credential = { kind, role: kind === 'api-key' ? 'owner' : null };
  const otherCredential = { kind: otherKind, role: kind === 'api-key' ? null : 'owner' } as const;
  const issue = async (overrides: Partial<Credential> = {}, region: Region = 'uk') => {
    const organisation = await addOrganisation(api.store);
    return (await addCredential(api.store, organisation, { ...credential, ...overrides }, region)).secret;
  };

  const refused: Record<string, () => Promise<Record<string, string>> | Record<string, string>> = {
    'no credential': () => ({}),
    'an empty credential': () => present(''),
    'a credential of no known form': () => present('not-a-secret'),
    'a well-formed credential that was never issued': () => present(generateSecret(kind, 'uk')),
    'a credential with one letter changed': async () =>
      present((await issue()).replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))),
    'a credential with something added': async () => present(`${await issue()}x`),
    'an expired credential': async () => present(await issue({ expires_at: '2026-01-02T00:00:00.000Z' })),
    'a revoked credential': async () => present(await issue({ revoked_at: '2026-01-02T00:00:00.000Z' })),
    'a credential of the other region': async () => present(await issue({}, 'ca')),
    'a credential of the other kind': async () =>
      present((await addCredential(api.store, await addOrganisation(api.store), otherCredential)).secret),
  };

  test.each(Object.entries(refused))('refuses %s', async (_name, headers) => {
    const response = await call(await headers());
    expect([response.status, response.body]).toEqual([401, invalidToken]);
  });

  test('accepts a credential until the moment of its revocation', async () => {
    const { secret, credentialId } = await addCredential(api.store, await addOrganisation(api.store), credential);
    expect((await call(present(secret))).status).not.toBe(401);
    await api.store.revokeCredential(credentialId, '2026-01-02T00:00:00.000Z');
    expect((await call(present(secret))).status).toBe(401);
  });

  test('says the same of every credential that it refuses', async () => {
    const refusals = new Set<string>();
    for (const [name, headers] of Object.entries(refused)) {
      if (name === 'no credential') continue;
      const { text, headers: received } = await call(await headers());
      refusals.add(`${text} ${String(received['www-authenticate'])}`);
    }
    expect(refusals.size).toBe(1);
  });
}
