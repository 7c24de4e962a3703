import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { expectStatus } from '../../contract/checks/expect.ts';
import { holdForAll } from '../../contract/checks/random/hold-for-all.ts';
import { NoAnswerError } from '../../contract/run/http-client.ts';
import type { Answer, CheckContext, RequestSpec } from '../../contract/run/model.ts';

const notFound: Answer = {
  status: 404,
  headers: { 'content-type': 'application/json', 'x-request-id': 'x' },
  text: '{"error_code":"request.not-found","error_message":"There is nothing."}',
};

describe('a property of random inputs', () => {
  test('is held against as many inputs as asked for, the same for the same seed', async () => {
    const inputs = async (seed: number) => {
      const seen: number[] = [];
      await holdForAll(
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
    const answer = ({ path }: RequestSpec) => ({ ...notFound, status: Number(path.slice(1)) >= 1000 ? 418 : 404 });
    await expect(hold(answer)).rejects.toThrow(
      'the status 418 is not documented for GET /1000; the smallest input found is 1000, again with --seed 3',
    );
  });

  test('fails if an answer breaks the document although the property is content', async () => {
    const answer = ({ path }: RequestSpec) => (path.length > 3 ? { ...notFound, text: '{}' } : notFound);
    await expect(hold(answer)).rejects.toThrow(/required property 'error_code'.* the smallest input found is 100,/);
  });

  test('leaves fields beyond the document to the session', async () => {
    await hold(() => ({ ...notFound, text: notFound.text.replace('{', '{"extra":1,') }));
  });

  test('stops at once when no answer comes, and passes that on', async () => {
    let requests = 0;
    const answer = (): Answer => {
      requests += 1;
      throw new NoAnswerError('gone');
    };
    const failure = hold(answer);
    await expect(failure).rejects.toBeInstanceOf(NoAnswerError);
    await expect(failure).rejects.toThrow(/^gone; the smallest input found is \d+, again with --seed 3$/);
    expect(requests).toBe(1);
  });

  test('shrinks within a bounded number of attempts', async () => {
    let requests = 0;
    const failure = holdForAll(
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

function hold(answer: (request: RequestSpec) => Answer): Promise<void> {
  return holdForAll(contextOf(answer, 3), 50, fc.nat(), async (input, call) => {
    expectStatus(await call({ method: 'GET', path: `/${input}` }), 404);
  });
}

function contextOf(answer: (request: RequestSpec) => Answer, seed: number): CheckContext {
  return {
    credentials: { base_url: 'http://x', case_base_url: 'http://x' },
    operator: undefined,
    seed,
    call: (request) => Promise.resolve().then(() => answer(request)),
    credential: () => '',
  };
}
