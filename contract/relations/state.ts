/** Relations of items: what was created, updated or removed is found so, and nothing else changes with it. */
import type { Baseline } from '../checks/baseline.ts';
import {
  type Client,
  expectFields,
  fail,
  identified,
  isSuccess,
  type Item,
  type Relation,
  requestSchema,
  told,
  unmet,
} from './client.ts';
import { isSelective } from './query-roles.ts';
import {
  locatedAt,
  entityIn,
  type Fields,
  fieldsOf,
  isObject,
  listedSchema,
  parsed,
  plainName,
  requiredFieldsOf,
  type Resource,
} from './resources.ts';
import { changedFields, isFree, isKept, mayBeNormalised } from './values.ts';

/** Says that a removal leaves something to be read. */
const notForGood = /archiv|soft|cancel|deactivat|schedul|asynchron|later|mark(s|ed)? (it )?as|trash|restor/i;
/** Fields that a server sets once. */
const setOnce = /^(created|added|inserted)(at|on|time|date)?$/;
/** How many fields are changed alone. */
const mostChanges = 8;

/** Whether a removal leaves nothing to be read. */
export function removesForGood(remove: Baseline | undefined): boolean {
  const { operationId = '', summary = '', description = '' } = remove?.operation ?? {};
  return remove !== undefined && !notForGood.test(`${operationId} ${summary} ${description}`);
}

export function stateRelations(resource: Resource): Relation[] {
  const { create, read, list, replace, change, remove, parent } = resource;
  if (!create || !(read ?? list)) return [];
  const uses = [create, read, list];
  const isBelow = parent?.create && create.operation.path.startsWith(`${parent.path}/`);
  return [
    {
      ...{ id: 'created', about: create, uses },
      title: 'what was created is found by an identifier of its own, at its Location and once in lists, as it was sent',
      run: (client) => checkCreated(client, resource),
    },
    {
      ...{ id: 'removed', about: removesForGood(remove) ? remove : undefined, uses },
      title: 'what was removed is gone, its removal can be repeated, and nothing else goes with it',
      run: (client) => checkRemoved(client, resource),
    },
    {
      ...{ id: 'replaced', about: replace, uses },
      title: 'what was replaced is found as it was sent, and nothing else is replaced',
      run: (client) => checkUpdated(client, resource, replace as Baseline),
    },
    {
      ...{ id: 'changed', about: change, uses },
      title: 'what was changed is found so, and nothing else changes, also at the same time',
      run: async (client) => {
        await checkUpdated(client, resource, change as Baseline);
        await checkTogether(client, resource, change as Baseline);
      },
    },
    {
      ...{ id: 'belongs-to-one', about: isBelow ? create : undefined, uses },
      title: 'what belongs to one item is not found under another',
      run: (client) => checkBelonging(client, resource, parent as Resource),
    },
  ];
}

async function three(client: Client, resource: Resource): Promise<[Item, Item, Item]> {
  return [await client.create(resource), await client.create(resource), await client.create(resource)];
}

async function checkCreated(client: Client, resource: Resource): Promise<void> {
  const items: Item[] = [
    ...(await three(client, resource)),
    await client.create(resource),
    await client.create(resource),
  ];
  items.push(...(await Promise.all([client.create(resource), client.create(resource)])));
  const { name } = resource.parameter;
  for (const [index, item] of items.entries()) {
    const twin = items.find(({ id }, other) => id === item.id && other > index);
    if (twin) fail(`the identifier ${item.id} is given twice`, twin.response);
    const entity = entityIn(parsed(item.response), resource);
    if (entity) expectFields(resource, item.sent, entity, item.response, 'it was created', resource.create);
    await client.expectRead(item);
    const { [name]: located } = locatedAt(resource, item.response);
    if (located !== undefined && located !== item.at[name])
      await client.expectRead({ ...item, at: { ...item.at, [name]: located } });
  }
  await expectListed(client, resource, items);
}

async function checkRemoved(client: Client, resource: Resource): Promise<void> {
  const [first, item, last] = await three(client, resource);
  const response = await client.remove(item);
  const { status } = response;
  if ([202, 401, 403, 409, 412, 428].includes(status))
    unmet(`missing: a removal that the server accepts (it responds ${status})`);
  if (!isSuccess(response)) fail(`a removal gets ${status}`, response);
  const { entity, response: after } = await client.find(item);
  if (entity ?? after.status >= 500)
    fail(`expected ${item.id} to be gone after its removal, got ${after.status}`, after);
  for (const other of [first, last]) await client.expectRead(other, other.sent, 'another was removed');
  await expectListed(client, resource, [first, last], item);
  const { change, replace, create } = resource;
  for (const update of [change, replace === create || replace?.operation.responses['201'] ? undefined : replace]) {
    const body = update && identified(await client.body(resource, update), item);
    const updated = update && (await client.send(update, { at: item.at, body }));
    if (updated && (isSuccess(updated) || updated.status >= 500))
      fail(`an update of what was removed gets ${updated.status}`, updated);
  }
  const again = await client.send(resource.remove as Baseline, { at: item.at });
  if (again.status >= 500) fail(`the repeated removal gets ${again.status}`, again);
}

async function checkUpdated(client: Client, resource: Resource, update: Baseline): Promise<void> {
  const isChange = update === resource.change;
  const [before, item, after] = await three(client, resource);
  const bodies = isChange ? await changesOf(client, resource) : [await client.body(resource, update)];
  let { entity: old = {}, response: seen } = await client.find(item);
  let accepted = 0;
  for (const made of bodies.slice(0, mostChanges)) {
    const body = identified(made, item);
    if (!(await client.update(item, update, body))) continue;
    accepted += 1;
    const when = `an update of ${isChange ? Object.keys(body).join(' and ') : 'all fields'}`;
    const expected = isChange ? { ...ownFields(resource, old), ...body } : body;
    const { entity: now, response } = await client.find(item);
    if (!now) fail(`expected to find ${item.id} after ${when}, got ${response.status}`, response);
    expectFields(resource, expected, now, response, when);
    for (const [name, value] of Object.entries(old))
      if (setOnce.test(plainName(name)) && typeof value === 'string' && !isKept(value, now[name]))
        fail(`${name} is ${told(now[name])} after ${when}, and was ${told(value)}`, response);
    // A server may leave times out of an ETag.
    await expectOtherValidator(
      client,
      item,
      seen.headers['etag'],
      response,
      !isKept(ownFields(resource, now), ownFields(resource, old)),
    );
    for (const other of [before, after]) await client.expectRead(other, other.sent, 'another was updated');
    if (accepted === 1) await expectListed(client, resource, [before, { ...item, sent: expected }, after]);
    [old, seen] = [now, response];
  }
  if (accepted === 0) unmet('missing: an update that the server accepts');
}

/** @throws {Error} if what has changed has the same ETag, or is not sent to whoever has the one before */
async function expectOtherValidator(
  client: Client,
  item: Item,
  stale: string | undefined,
  now: Item['response'],
  hasChanged: boolean,
): Promise<void> {
  const { read } = item.resource;
  if (stale === undefined || !hasChanged || !read || stale.startsWith('W/')) return;
  if (now.headers['etag'] === stale) fail(`the ETag is still ${stale} after a change`, now);
  const again = await client.send(read, { at: item.at, headers: [['If-None-Match', stale]] });
  if (again.status === 304) fail('expected the changed representation, got 304', again);
}

/** Of changes of different fields at the same time, none is lost: each is atomic (RFC 5789, section 2). */
async function checkTogether(client: Client, resource: Resource, change: Baseline): Promise<void> {
  const item = await client.create(resource);
  for (let round = 0; round < 4; round += 1) {
    const changes = await changesOf(client, resource);
    const [one = {}, other = {}] = [changes[0], changes.at(-1)];
    if (changes.length < 2 || Object.keys(one).some((name) => Object.hasOwn(other, name))) return;
    const responses = await Promise.all([one, other].map((body) => client.update(item, change, body, false)));
    if (responses.every(Boolean)) await client.expectRead(item, { ...one, ...other }, 'two changes at the same time');
  }
}

async function checkBelonging(client: Client, resource: Resource, parent: Resource): Promise<void> {
  const [one, other] = [await client.create(parent), await client.create(parent)];
  const item = await client.create(resource, { at: one.at });
  const at = { ...item.at, ...other.at };
  const response = resource.read && (await client.send(resource.read, { at }));
  if (response && isSuccess(response))
    fail(`expected not to find ${item.id} under another, got ${response.status}`, response);
  if (!resource.list?.operation.path.startsWith(`${parent.path}/`)) return;
  const { ids, last } = await client.listAll(resource, { at });
  if (ids.includes(item.id)) fail(`expected not to find ${item.id} in the list of another`, last);
}

/** Fields of an entity that clients may write, without those that the server may change. */
export function ownFields(resource: Resource, entity: Fields): Fields {
  const fields = fieldsOf(requestSchema(resource));
  const isOwn = ([name]: [string, unknown]) => {
    const { [name]: field } = fields;
    return field && field['readOnly'] !== true && !mayBeNormalised(field);
  };
  return Object.fromEntries(Object.entries(entity).filter(isOwn));
}

/** Changes of one field each, with the fields that every change must have. */
export async function changesOf(client: Client, resource: Resource): Promise<Fields[]> {
  const { change } = resource;
  const { schema = {}, faultsOf } = change?.json ?? {};
  const whole = await client.body(resource, change, 'own', 'any field');
  const entries = Object.entries(whole);
  const required = requiredFieldsOf(schema);
  const needed = Object.fromEntries(entries.filter(([name]) => required.includes(name)));
  return (
    entries
      .filter(([name]) => isFree(name, fieldsOf(schema)[name] ?? {}))
      .map(([name, value]) => ({ ...needed, [name]: value }))
      // A merge patch adds to an object, rather than replace it.
      .filter((body) => faultsOf?.(body).length === 0 && !Object.values(body).some(isObject))
  );
}

/** @throws {Error} unless each item is listed once and as expected, and what was removed is not */
async function expectListed(client: Client, resource: Resource, items: readonly Item[], removed?: Item): Promise<void> {
  const { list } = resource;
  if (!list) return;
  const { ids, items: listed, complete, last } = await client.listAll(resource, { at: items[0]?.at ?? {} });
  if (removed && ids.includes(removed.id)) fail(`expected ${removed.id} not to be listed after its removal`, last);
  if (isSelective(list) && !items.some(({ id }) => ids.includes(id))) return;
  for (const { id, sent } of items) {
    const count = ids.filter((each) => each === id).length;
    if (count === 0 && !complete) unmet('missing: a list that is short enough to be read whole');
    if (count !== 1) fail(`expected ${id} once in the list, found it ${count} times`, last);
    const entity = listed[ids.indexOf(id)] ?? {};
    const shown = Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(entity, name)));
    const [name] = changedFields(shown, entity, requestSchema(resource), listedSchema(list.operation) ?? {});
    if (name !== undefined)
      fail(`${name} of ${id} is listed as ${told(entity[name])}, and is ${told(sent[name])}`, last);
  }
}
