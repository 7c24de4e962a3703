/** Relations of items: what was created, updated or removed is found so, and nothing else changes with it. */
import type { Baseline } from '../plan/baseline.ts';
import { type Client, fail, identified, isSuccess, type Relation, unmet } from './client.ts';
import { Model } from './model.ts';
import { type Fields, fieldsOf, isObject, requiredFieldsOf, type Resource } from './resources.ts';
import { isFree } from './values.ts';

/** Says that a removal leaves something to be read. */
const notForGood = /archiv|soft|cancel|deactivat|schedul|asynchron|later|mark(s|ed)? (it )?as|trash|restor/i;
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

/** Three items, of which the second is acted on. */
async function three(client: Client, resource: Resource) {
  const model = new Model(client);
  const [, middle] = [await model.create(resource), await model.create(resource), await model.create(resource)];
  return { model, middle };
}

/** @throws {UnmetPreconditionError} if a list is too long to tell */
async function expectAll(model: Model, when: string): Promise<void> {
  if (!(await model.expectAll(when))) unmet('missing: a list that is short enough to be read whole');
}

async function checkCreated(client: Client, resource: Resource): Promise<void> {
  const { model } = await three(client, resource);
  for (const count of [1, 1, 2]) await Promise.all(Array.from({ length: count }, () => model.create(resource)));
  await model.expectCreated();
  await expectAll(model, 'it was created');
}

async function checkRemoved(client: Client, resource: Resource): Promise<void> {
  const { model, middle } = await three(client, resource);
  const { item } = middle;
  const response = await model.remove(middle);
  const { status } = response;
  if ([202, 401, 403, 409, 412, 428].includes(status))
    unmet(`missing: a removal that the server accepts (it responds ${status})`);
  if (!isSuccess(response)) fail(`a removal gets ${status}`, response);
  await expectAll(model, 'another was removed');
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
  const { model, middle } = await three(client, resource);
  const isChange = update === resource.change;
  const bodies = isChange ? await changesOf(client, resource) : [await client.body(resource, update)];
  let accepted = 0;
  for (const body of bodies.slice(0, mostChanges)) {
    if (!(await model.update(middle, update, body))) continue;
    accepted += 1;
    if (accepted === 1) await expectAll(model, 'an update');
    else await model.expectOthers(middle, 'another was updated');
  }
  if (accepted === 0) unmet('missing: an update that the server accepts');
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
