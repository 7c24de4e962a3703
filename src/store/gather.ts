/** The most items of a batch. */
const mostItems = 100;

/**
 * Batches calls, which then share a statement or a commit: an item joins the open batch, and waits for no other one.
 * @param ask returns for each item, in the same order, a function that gives its result or throws its error
 * @param wait calls back when the batch begins; meanwhile, items join it
 */
export function gather<Item, Result>(
  ask: (items: readonly Item[]) => Promise<readonly (() => Result | Promise<Result>)[]>,
  wait: (begin: () => void, items: readonly Item[]) => void,
): (item: Item) => Promise<Result> {
  const newBatch = () => ({ items: [] as Item[], ...Promise.withResolvers<Awaited<ReturnType<typeof ask>>>() });
  let open = newBatch();
  return async (item) => {
    if (open.items.length === mostItems) open = newBatch();
    const batch = open;
    const place = batch.items.push(item) - 1;
    if (place === 0)
      wait(() => {
        if (open === batch) open = newBatch();
        batch.resolve(ask(batch.items));
      }, batch.items);
    const outcome = (await batch.promise)[place] as () => Result | Promise<Result>;
    return outcome();
  };
}
