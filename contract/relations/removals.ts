/** Relations of removals: what was removed is gone or has changed, what belongs to it goes with it, and nothing else does. */
import { isDeepStrictEqual } from 'node:util';
import type { Baseline } from '../plan/baseline.ts';
import { fail, identified, isSuccess, type Item, refusedWith } from './exchange.ts';
import type { Model } from './model.ts';
import { createsByPut, type Resource } from './resources.ts';
import { addBelow, addThree, expectAll } from './state.ts';
import type { Fields } from './values.ts';

export async function checkRemoved(model: Model, resource: Resource, remove: Baseline): Promise<void> {
  const middle = await addThree(model, resource);
  const { at } = middle;
  const { entity: before } = await model.find(middle);
  const response = await model.remove(middle);
  const { status } = response;
  if ([202, 401, 403, 409, 412, 428].includes(status)) refusedWith('a removal that the server accepts', response);
  if (!isSuccess(response)) fail(`a removal gets ${status}`, response);
  const isForGood = model.removed.get(middle) === true;
  if (!isForGood) await checkPutAside(model, middle, before);
  await expectAll(model, 'another was removed');
  const { change, replace, create } = resource;
  for (const update of [change, replace === create || createsByPut(replace) ? undefined : replace]) {
    if (!update || !isForGood) continue;
    const updated = await model.send(update, { at, body: identified(await model.body(resource, update), middle) });
    if (isSuccess(updated) || updated.status >= 500)
      fail(`an update of what was removed gets ${updated.status}`, updated);
  }
  const again = await model.send(remove, { at });
  if (again.status >= 500) fail(`the repeated removal gets ${again.status}`, again);
  const last = await model.add(resource);
  await addBelow(model, last);
  if (!isSuccess(await model.remove(last))) return;
  // What comes next is another one.
  await model.add(resource, last.at);
  await model.expectAll('the last was removed');
}

/** What can still be read has changed, as it is marked or has another state, and is in the list only if it is asked for. */
async function checkPutAside(model: Model, item: Item, before: Fields | undefined): Promise<void> {
  const { resource, at, id } = item;
  const { entity: after, response } = await model.find(item);
  if (before && isDeepStrictEqual(before, after)) fail('nothing has changed by a removal', response);
  const { adding } = resource.query ?? {};
  if (!adding || !resource.list) return;
  const listed = async (query: Record<string, string>) => {
    const { ids, items, complete, last } = await model.listAll(resource, { at, query });
    return { isListed: ids.includes(id), entity: items[ids.indexOf(id)], complete, last };
  };
  const [usual, whole] = [await listed({}), await listed({ [adding.name]: 'true' })];
  const isMarked = (each: Fields | undefined) => ![undefined, null, false].includes(each?.[adding.field] as null);
  if (isMarked(after) && whole.complete && !whole.isListed)
    fail(`${id}, which is ${adding.field}, is not listed with ${adding.name}=true`, whole.last);
  if (isMarked(whole.entity) && usual.isListed)
    fail(`${id}, which is ${adding.field}, is listed without ${adding.name}`, usual.last);
}
