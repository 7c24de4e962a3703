import { setImmediate as endOfTurn } from 'node:timers/promises';

/** How many turns of the event loop a batch grows for at most, so that its first item does not wait for long. */
const mostTurns = 8;

/**
 * Asks for many results at once. A batch is sent after the first turn of the event loop that added nothing to it, and once
 * the previous batch has its result: a lone item hardly waits, and batches grow as either side gets busier. If a batch
 * fails, the one that waits for it fails too.
 *
 * @param ask gives as many results as items, in their order
 */
export function inBatches<Item, Result>(
  ask: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let collecting: { readonly items: Item[]; readonly results: Promise<readonly Result[]> } | undefined;
  let inFlight: Promise<readonly Result[]> | undefined;

  const settle = async (items: readonly Item[]): Promise<readonly Result[]> => {
    try {
      await batchSettled(items);
      await inFlight;
    } finally {
      collecting = undefined;
    }
    try {
      return await (inFlight = ask(items));
    } finally {
      inFlight = undefined;
    }
  };
  const collect = (item: Item) => {
    if (collecting) collecting.items.push(item);
    else {
      const items = [item];
      collecting = { items, results: settle(items) };
    }
    return collecting;
  };

  return async (item) => {
    const { items, results } = collect(item);
    const place = items.length - 1;
    return (await results)[place] as Result;
  };
}

/** Resolves when a turn has added no item. */
async function batchSettled(items: readonly unknown[]): Promise<void> {
  let before = 0;
  for (let turns = 0; turns < mostTurns && items.length > before; turns += 1) {
    before = items.length;
    await endOfTurn();
  }
}
