import { expect, test } from '@jest/globals';
import { memoryRateLimits } from '../../src/rate-limits/rate-limit-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import type { Harness, HarnessOptions } from './harness.ts';

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
