/** How many of one turn share a statement at most. */
const mostItems = 100;

/**
 * Asks for many results with one statement. What is asked for in one turn of the event loop leaves at its end, so that
 * nothing waits for another statement; the busier the server is, the more requests it reads in a turn. `pg` can
 * pipeline statements too, but the time of a small one goes into the statement, on either side.
 *
 * @param ask gives as many results as items, in their order
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
