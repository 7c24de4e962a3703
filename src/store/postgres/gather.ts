/** The maximum number of items per statement. */
const mostItems = 100;

/**
 * Batches calls into one statement. The items of one turn of the event loop are sent at its end, so that none waits
 * for another statement to complete. The busier the server is, the more requests it reads per turn. `pg` can also
 * pipeline statements, but most of the cost of a small statement is a cost per statement, in the client and the server.
 *
 * @param ask returns one result per item, in the same order
 */
export function gather<Item, Result>(
  ask: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
): (item: Item) => Promise<Result> {
  let items: Item[] = [];
  let results: Promise<readonly (Result | Promise<Result>)[]> | undefined;

  const leave = (leaving: readonly Item[]) => {
    if (items === leaving) results = undefined;
    return ask(leaving);
  };

  return async (item) => {
    if (!results || items.length === mostItems) {
      const gathered: Item[] = [];
      items = gathered;
      results = new Promise((resolve) => {
        setImmediate(() => {
          resolve(leave(gathered));
        });
      });
    }
    const place = items.push(item) - 1;
    return (await results)[place] as Result;
  };
}
