import { expect, test } from '@jest/globals';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { inBatches } from '../../../src/rate-limits/workers.ts';

/** Batches of numbers, each of which gives ten times itself when the test says so. */
function batches() {
  const asked: { items: readonly number[]; respond: () => void }[] = [];
  const ask = inBatches(
    (items: readonly number[]) =>
      new Promise<number[]>((resolve) => {
        asked.push({
          items: [...items],
          respond: () => {
            resolve(items.map((item) => item * 10));
          },
        });
      }),
  );
  const begun = async (count: number) => {
    while (asked.length < count) await endOfTurn();
    return asked[count - 1] as (typeof asked)[0];
  };
  return { ask, asked, begun };
}

test('a batch grows while each turn adds to it, but not for ever', async () => {
  const { ask, asked, begun } = batches();
  let wanted = 0;
  const wantInEachTurn = () => {
    if (asked.length > 0 || wanted === 100) return;
    setImmediate(wantInEachTurn);
    void ask((wanted += 1));
  };
  wantInEachTurn();
  await begun(1);
  expect(asked[0]?.items.length).toBeGreaterThan(3);
  expect(asked[0]?.items.length).toBeLessThan(20);
});

test('one batch is in flight at a time; the next one takes all that came meanwhile', async () => {
  const { ask, asked, begun } = batches();
  const first = ask(1);
  const { respond } = await begun(1);
  const others: Promise<number>[] = [];
  for (let item = 2; item < 30; item += 1) {
    others.push(ask(item));
    await endOfTurn();
  }
  expect(asked).toHaveLength(1);
  respond();
  expect(await first).toBe(10);
  const second = await begun(2);
  expect(second.items).toHaveLength(28);
  second.respond();
  expect((await Promise.all(others)).at(-1)).toBe(290);
});
