/** Of a document with very many operations, the plan sends a share of the rows of each, and says so. */
import { expect, test } from '@jest/globals';
import { exploredChecks } from '../../contract/plan/explored-checks.ts';
import type { CheckContext, RequestSpec } from '../../contract/run/model.ts';
import { apiOf } from '../unit/document/fixture.ts';

const most = 2000;
const paths = Array.from({ length: most }, (_none, index): [string, object] => [
  `/items${index}`,
  { get: { operationId: `listItems${index}`, responses: { 200: { description: 'All.' } } } },
]);

async function sent(count: number, thorough = false) {
  const document = apiOf(Object.fromEntries(paths.slice(0, count)));
  const requests: RequestSpec[] = [];
  const told: string[] = [];
  const context = {
    ...{ credentials: { base_url: 'http://a', case_base_url: 'http://a' }, seed: 1, operator: undefined },
    call: (request: RequestSpec) => {
      requests.push(request);
      return Promise.resolve({ status: 200, headers: {}, text: '' });
    },
    tell: (text: string) => told.push(text),
  } as unknown as CheckContext;
  const check = exploredChecks(document, 1, thorough).find(({ id }) => id === 'explored.listItems0.success');
  await check?.run(context);
  return { requests: requests.length, told };
}

test('each operation has its share of about 20,000 requests', async () => {
  const [few, many, thorough] = [await sent(2), await sent(most), await sent(most, true)];
  expect(few.requests).toBeGreaterThan(10);
  expect(few.told).toEqual([]);
  const [, share, rows] =
    /^(\d+) of (\d+) requests of the plan, chosen by the seed; --thorough sends all$/.exec(many.told[0] ?? '') ?? [];
  // The plain one, and a share of the others.
  expect(Number(share)).toBeLessThanOrEqual(1 + 20_000 / most);
  expect(Number(rows)).toBeGreaterThan(10);
  expect(thorough.requests).toBeGreaterThan(few.requests);
});
