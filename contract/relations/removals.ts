/** Relations of removals: what is gone, what goes with it, what hinders it, and what stays. */
import { addBelow, addThree, expectAll } from './state.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Baseline } from '../plan/baseline.ts';
import { expectConflict, fail, identified, isSuccess, type Item, refusedWith } from './exchange.ts';
import { type Model } from './model.ts';
import { actionsOf, stepsOf } from './steps.ts';
import { createsByPut, isBelowParent, type Resource } from './resources.ts';
import type { Schema } from '../document/model.ts';
import { type Fields } from './values.ts';
import { isHinderedBy, removesForGood, removesWith, setsAside, unlinks } from './said.ts';
import { refersTo } from './identity.ts';

export async function checkRemoved(model: Model, resource: Resource, remove: Baseline): Promise<void> {
  const middle = await addThree(model, resource);
  const { at } = middle;
  const { entity: before } = await model.find(middle);
  const response = await model.remove(middle);
  const { status } = response;
  if ([202, 401, 403, 409, 412, 428].includes(status)) refusedWith('a removal that the server accepts', response);
  if (!isSuccess(response)) fail(`a removal gets ${status}`, response);
  if (!removesForGood(remove)) await checkPutAside(model, middle, before);
  await expectAll(model, 'another was removed');
  const { change, replace, create } = resource;
  for (const update of [change, replace === create || createsByPut(replace) ? undefined : replace]) {
    if (!update || !removesForGood(remove)) continue;
    const updated = await model.send(update, { at, body: identified(await model.body(resource, update), middle) });
    if (isSuccess(updated) || updated.status >= 500)
      fail(`an update of what was removed gets ${updated.status}`, updated);
  }
  const again = await model.send(remove, { at });
  if (again.status >= 500) fail(`the repeated removal gets ${again.status}`, again);
  await checkRemovedLast(model, resource);
}

/** What is not removed for good is at least marked, and in the list only if it is asked for. */
async function checkPutAside(model: Model, item: Item, before: Fields | undefined): Promise<void> {
  const { resource, at, id } = item;
  const { query, remove } = resource;
  const { entity: after, response } = await model.find(item);
  if (!query || !resource.list || /schedul|asynchron|later/i.test(JSON.stringify(remove?.operation))) return;
  const listed = async (asked: Record<string, string>) => {
    const { ids, items, complete, last } = await model.listAll(resource, { at, query: asked });
    return { isListed: ids.includes(id), entity: items[ids.indexOf(id)], complete, last };
  };
  const usual = await listed({});
  const isSeen = usual.isListed || !setsAside(remove);
  if (before && isDeepStrictEqual(before, after) && isSeen) fail('nothing has changed by a removal', response);
  const { adding } = query;
  if (!adding) return;
  const { isListed, entity, complete, last } = await listed({ [adding.name]: 'true' });
  const isMarked = (each: Fields | undefined) => ![undefined, null, false].includes(each?.[adding.field] as null);
  if (isMarked(after) && complete && !isListed)
    fail(`${id}, which is ${adding.field}, is not listed with ${adding.name}=true`, last);
  if (isMarked(entity) && usual.isListed)
    fail(`${id}, which is ${adding.field}, is listed without ${adding.name}`, usual.last);
}

/** What belongs to an item goes with it, if the server removes an item that has some, and what comes next is another one. */
async function checkRemovedLast(model: Model, resource: Resource): Promise<void> {
  await expectHindered(model, resource, resource.remove);
  const last = await model.add(resource);
  await addBelow(model, last);
  const [gone, left] = [await addReferring(model, last, removesWith), await addReferring(model, last, unlinks)];
  let removed = await model.remove(last);
  // In another state, what refers to it may go with it.
  for (const { item } of removed.status === 409 ? gone : [])
    for (const { by, body } of stepsOf(item.resource, actionsOf(item.resource, model.run)))
      if (removed.status === 409 && isSuccess(await model.send(by, { at: item.at, body })))
        removed = await model.remove(last);
  if (!isSuccess(removed)) return;
  for (const { item } of gone) {
    const { entity, response } = await model.find(item);
    if (entity) fail(`${item.id} is still found after the removal of ${last.id}, which it refers to`, response);
  }
  for (const { item, name } of left) {
    const { entity, response } = await model.find(item);
    if (!entity) fail(`${item.id} is gone after the removal of ${last.id}, which it only refers to`, response);
    const named = [entity[name]].flat().map(String);
    if (named.includes(last.id)) fail(`${name} still names ${last.id} after its removal`, response);
  }
  await model.add(resource, last.at);
  await model.expectAll('the last was removed');
}

/** @throws {Error} if an operation on an item succeeds though the document says that items which refer to it make it conflict */
export async function expectHindered(model: Model, resource: Resource, about: Baseline | undefined): Promise<void> {
  const used = await model.createAsShown(resource);
  const [{ item: hindering } = {}] = await addReferring(model, used, isHinderedBy, about);
  if (!about || !hindering) return;
  const headers = await model.matching(used, about);
  const response = await model.send(about, {
    at: used.at,
    headers,
    ...(about.payload && { body: about.payload.valid }),
  });
  expectConflict(about, response, `of ${used.id}, to which ${hindering.id} belongs`);
}

/** Creates what belongs to an item, or names it, and of which something is said. */
async function addReferring(model: Model, used: Item, isSaid: typeof removesWith, about = used.resource.remove) {
  const { resource } = used;
  const added: { item: Item; name: string }[] = [];
  const { resources } = model.run;
  for (const other of resources) {
    if (!other.create || !isSaid(about, other)) continue;
    if (isBelowParent(other)) {
      const isOwn = isSaid === isHinderedBy && other.parent?.path === resource.path;
      const { item } = isOwn ? await model.tryCreate(other, await model.body(other), { at: used.at }) : {};
      if (item) added.push({ item, name: '' });
      continue;
    }
    const isNaming = ([name, schema]: [string, Schema]) => refersTo(resource, name, schema, resources);
    const [name] = Object.entries(other.sent.properties).find(isNaming) ?? [];
    const { item } = name === undefined ? {} : await model.createNaming(other, name, used);
    if (item && name !== undefined) added.push({ item, name });
  }
  return added;
}
