import { expect, test } from '@jest/globals';
import type { Store } from '../../src/store/store.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import type { Harness, HarnessOptions } from './harness.ts';

let failure: Error | undefined;

/** A store whose methods fail as `testFailingStore` decides. */
export const failingStore: HarnessOptions = {
  wrapStore: (store: Store) =>
    new Proxy(store, {
      get: (target, name: keyof Store) => {
        const error = failure;
        if (error) return () => Promise.reject(error);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }),
};

/** Tests that hold for the 5xx responses of every operation, on a server with `failingStore`. */
export function testFailingStore(api: Harness, call: () => ReturnType<Harness['call']>): void {
  const callFailing = async (error: Error) => {
    failure = error;
    try {
      return await call();
    } finally {
      failure = undefined;
    }
  };

  test('responds with 503 and Retry-After while the store is unavailable', async () => {
    const { status, body, headers } = await callFailing(new StoreUnavailableError('database is locked'));
    expect([status, body]).toMatchObject([503, { error_code: 'service.unavailable' }]);
    expect(headers).toMatchObject({ 'retry-after': '5' });
  });

  test('responds with 500 to an unexpected error and tells its detail to the log alone', async () => {
    const { status, text, headers } = await callFailing(new Error('SELECT secret FROM credential'));
    expect([status, JSON.parse(text)]).toMatchObject([500, { error_code: 'service.internal-error' }]);
    expect(text).not.toContain('SELECT');
    expect(JSON.stringify(headers)).not.toContain('SELECT');
    expect(api.log.join()).toContain('SELECT secret FROM credential');
    expect(api.log.join()).toContain(headers['x-request-id']);
  });
}
