/** Relations of items: what is created, updated or removed is found so, and nothing else changes, also in random walks. */
import { isDeepStrictEqual } from 'node:util';
import type { Baseline } from '../plan/baseline.ts';
import { changesOf } from './acting/changes.ts';
import { fail, identified, isSuccess, type Item, orNone, refusedWith, together, unmet } from './exchange.ts';
import { type Model, ownFields } from './model.ts';
import { belowOf, type Resource } from './resources.ts';
import type { Parameter } from '../document/model.ts';
import { type Fields, isMoving, plainName } from './values.ts';

const mostChanges = 8;

/** Adds three items, which should stay as they are read. @returns the second, which is acted on */
export async function addThree(model: Model, resource: Resource): Promise<Item> {
  const three = [await model.add(resource), await model.add(resource), await model.add(resource)] as const;
  await together(three, async (item) => {
    const shown = Object.entries(ownFields(resource, (await model.find(item)).entity ?? {}));
    item.fields = { ...Object.fromEntries(shown.filter(([name]) => !isMoving(name))), ...item.fields };
  });
  return three[1];
}

/** @throws {UnmetPreconditionError} if a list is too long to tell */
export async function expectAll(model: Model, when: string): Promise<void> {
  if (!(await model.expectAll(when))) unmet('missing: a list that is short enough to be read whole');
}

export async function checkCreated(model: Model, resource: Resource): Promise<void> {
  await addThree(model, resource);
  for (const count of [1, 1, 2]) await Promise.all(Array.from({ length: count }, () => model.add(resource)));
  await model.expectCreated();
  await expectAll(model, 'it was created');
}

/** An item of another tenant, as the document shows it; undefined if there is none. */
export async function createdByOther(model: Model, resource: Resource): Promise<Item | undefined> {
  const caller = 'other';
  const made = async () => model.tryCreate(resource, await model.body(resource, undefined, 'none', caller), { caller });
  return (await orNone(made()))?.item;
}

export async function addBelow(model: Model, { resource, at }: Item): Promise<void> {
  for (const below of belowOf(resource, model.run).filter(({ create }) => create?.operation.requestBody)) {
    const { item } = await model.tryCreate(below, await model.body(below), { at });
    if (item && (below.read ?? below.list)) model.keep(item);
  }
}

export async function checkUpdated(model: Model, resource: Resource, update: Baseline): Promise<void> {
  const middle = await addThree(model, resource);
  const isChange = update === resource.change;
  const bodies = isChange ? await changesOf(model, resource) : await replacementsOf(model, resource, update);
  let accepted = 0;
  for (const body of bodies.slice(0, mostChanges)) {
    if (!(await model.apply(middle, update, body))) continue;
    accepted += 1;
    if (accepted === 1) await expectAll(model, 'an update');
    else {
      await model.expectOthers(middle, 'another was updated');
      await model.expectListed(resource);
    }
  }
  if (accepted === 0) unmet('missing: an update that the server accepts');
  if (isChange) await checkTogether(model, resource, update);
}

/** A new body, and one whose lists are shorter. */
async function replacementsOf(model: Model, resource: Resource, update: Baseline): Promise<Fields[]> {
  const [first, second] = [await model.body(resource, update), await model.body(resource, update)];
  const shorter = Object.entries(second).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.slice(0, 1) : value,
  ]);
  const body = Object.fromEntries(shorter) as Fields;
  return isDeepStrictEqual(body, second) || update.payload?.faultsOf(body).length !== 0 ? [first] : [first, body];
}

/** Of changes of different fields at the same time, none is lost: each is atomic (RFC 5789, section 2). */
async function checkTogether(model: Model, resource: Resource, change: Baseline): Promise<void> {
  const item = await model.create(resource);
  for (let round = 0; round < 4; round += 1) {
    const changes = await changesOf(model, resource);
    const [one = {}, other = {}] = [changes[0], changes.at(-1)];
    if (changes.length < 2 || Object.keys(one).some((name) => Object.hasOwn(other, name))) return;
    const accepted = await Promise.all([one, other].map((body) => model.update(item, change, body, false)));
    if (!accepted.includes(undefined)) await model.expectRead(item, 'two changes at the same time');
  }
}

/** The query parameter with which a request is only tried. */
export function dryRunOf(about: Baseline | undefined): Parameter | undefined {
  const inQuery = about?.operation.parameters.filter((each) => each.in === 'query');
  return inQuery?.find(({ name }) => /^(dryrun|validateonly)$/.test(plainName(name)));
}

/** What is only tried changes nothing. */
export async function checkDryRun(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { name, schema } = dryRunOf(about) as Parameter;
  const [value = true] = schema.enum ?? [];
  const query = { [name]: typeof value === 'string' ? value : 'true' };
  if (about === resource.create) {
    await model.create(resource);
    const { item, response } = await model.tryCreate(resource, await model.body(resource), { query });
    if (item && (await model.find(item)).entity) fail(`${item.id} is created, though with ${name}`, response);
    return;
  }
  const item = await addThree(model, resource);
  const { entity: before } = await model.find(item);
  const body = about.payload && (await model.body(resource, about, 'any field'));
  const sent = body && identified(body, item);
  const response = await model.send(about, {
    at: item.at,
    query,
    body: sent,
    headers: await model.matching(item, about),
  });
  if (!isSuccess(response)) refusedWith('a request that the server only tries', response);
  const { entity: after } = await model.find(item);
  if (!isDeepStrictEqual(before, after)) fail(`${item.id} has changed, though with ${name}`, response);
}

export async function checkBelonging(model: Model, resource: Resource): Promise<void> {
  const { parent, list, file, read = file } = resource as Resource & { parent: Resource };
  const [{ id, at: own }, other] = [await model.createBelow(resource, parent), await model.create(parent)];
  const at = { ...own, ...other.at };
  const isNested = read?.operation.path.startsWith(`${parent.path}/`);
  const response = isNested && (await model.send(read as Baseline, { at }));
  if (response && isSuccess(response))
    fail(`expected not to find ${id} under another, got ${response.status}`, response);
  if (!list?.operation.path.startsWith(`${parent.path}/`)) return;
  const { ids, last } = await model.listAll(resource, { at });
  if (ids.includes(id)) fail(`expected not to find ${id} in the list of another`, last);
}
