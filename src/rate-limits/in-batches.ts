import { setImmediate as endOfTurn } from 'node:timers/promises';

/** How many turns of the event loop a batch grows for at most, so that its first item does not wait for long. */
const mostTurns = 8;

/**
 * Asks for many answers at once. A batch leaves after the first turn of the event loop that has added nothing to it, and
 * after the one before it was answered: a lone item hardly waits, and the busier the asking or the answering side is, the
 * larger the batches. If one fails, the one that waits for it fails with it.
 *
 * @param ask gives as many answers as items, in their order
 */
export function inBatches<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
): (item: Item) => Promise<Answer> {
  let collecting: { readonly items: Item[]; readonly answers: Promise<readonly Answer[]> } | undefined;
  let underWay: Promise<readonly Answer[]> | undefined;

  const answer = async (items: readonly Item[]): Promise<readonly Answer[]> => {
    try {
      await grown(items);
      await underWay;
    } finally {
      collecting = undefined;
    }
    try {
      return await (underWay = ask(items));
    } finally {
      underWay = undefined;
    }
  };
  const collect = (item: Item) => {
    if (collecting) collecting.items.push(item);
    else {
      const items = [item];
      collecting = { items, answers: answer(items) };
    }
    return collecting;
  };

  return async (item) => {
    const { items, answers } = collect(item);
    const place = items.length - 1;
    return (await answers)[place] as Answer;
  };
}

/** Resolves when a turn has added no item. */
async function grown(items: readonly unknown[]): Promise<void> {
  let before = 0;
  for (let turns = 0; turns < mostTurns && items.length > before; turns += 1) {
    before = items.length;
    await endOfTurn();
  }
}
