import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { expectStatus } from '../../contract/checks/expect.ts';
import { checkForAll } from '../../contract/checks/random/check-for-all.ts';
import { NoResponseError } from '../../contract/run/http-client.ts';
import type { HttpResponse, CheckContext, RequestSpec } from '../../contract/run/model.ts';

const notFound: HttpResponse = {
  status: 404,
  headers: { 'content-type': 'application/json', 'x-request-id': 'x' },
  text: '{"error_code":"request.not-found","error_message":"There is nothing."}',
};

describe('a property of random inputs', () => {
  test('is checked with as many inputs as asked for, the same for the same seed', async () => {
    const inputs = async (seed: number) => {
      const seen: number[] = [];
      await checkForAll(
        contextOf(() => notFound, seed),
        20,
        fc.nat(),
        (input) => {
          seen.push(input);
          return Promise.resolve();
        },
      );
      return seen;
    };
    const first = await inputs(1);
    expect(first).toHaveLength(20);
    expect(await inputs(1)).toEqual(first);
    expect(await inputs(2)).not.toEqual(first);
  });

  test('fails with the smallest input and the seed', async () => {
    const response = ({ path }: RequestSpec) => ({ ...notFound, status: Number(path.slice(1)) >= 1000 ? 418 : 404 });
    await expect(hold(response)).rejects.toThrow(
      'expected status 404, got 418; the smallest input found is 1000, again with --seed 3',
    );
  });

  test('leaves what a response breaks of the document to the checks of the layer conformance', async () => {
    await hold(() => ({ ...notFound, text: '{}' }));
  });

  test('stops at once when no response comes, and passes that on', async () => {
    let requests = 0;
    const response = (): HttpResponse => {
      requests += 1;
      throw new NoResponseError('gone');
    };
    const failure = hold(response);
    await expect(failure).rejects.toBeInstanceOf(NoResponseError);
    await expect(failure).rejects.toThrow(/^gone; the smallest input found is \d+, again with --seed 3$/);
    expect(requests).toBe(1);
  });

  test('shrinks within a bounded number of attempts', async () => {
    let requests = 0;
    const failure = checkForAll(
      contextOf(() => notFound, 3),
      1,
      fc.bigInt(),
      () => {
        requests += 1;
        return Promise.reject(new Error(`broken ${requests}`));
      },
    );
    await expect(failure).rejects.toThrow(/^broken/);
    expect(requests).toBeLessThan(300);
  });
});

function hold(response: (request: RequestSpec) => HttpResponse): Promise<void> {
  const context = contextOf(response, 3);
  return checkForAll(context, 50, fc.nat(), async (input) => {
    expectStatus(await context.call({ method: 'GET', path: `/${input}` }), 404);
  });
}

function contextOf(response: (request: RequestSpec) => HttpResponse, seed: number): CheckContext {
  return {
    credentials: { base_url: 'http://x', case_base_url: 'http://x' },
    operator: undefined,
    seed,
    call: (request) => Promise.resolve().then(() => response(request)),
    credential: () => '',
    tell: () => undefined,
  };
}
