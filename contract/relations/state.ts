/** Relations of items: what is created, updated or removed is found so, and nothing else changes, also in random walks. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { isUnsent } from '../plan/asking.ts';
import type { Baseline } from '../plan/baseline.ts';
import { fewest } from '../plan/explore.ts';
import { NoResponseError, UnmetPreconditionError } from '../run/errors.ts';
import type { CheckContext } from '../run/model.ts';
import { isPrivate } from './access.ts';
import { changesOf } from './acting/changes.ts';
import {
  expectConflict,
  fail,
  identified,
  isSuccess,
  type Item,
  orNone,
  refusedWith,
  together,
  typed,
  unmet,
} from './exchange.ts';
import { type Model, ownFields } from './model.ts';
import { actionsOf, stepsOf } from './steps.ts';
import { belowOf, createsByPut, isBelowParent, refersTo, type Resource } from './resources.ts';
import type { Parameter, Schema } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { type Fields, isMoving, plainName } from './values.ts';
import { isHinderedBy, removesForGood, removesWith, setsAside, unlinks } from './said.ts';

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
async function expectAll(model: Model, when: string): Promise<void> {
  if (!(await model.expectAll(when))) unmet('missing: a list that is short enough to be read whole');
}

export async function checkCreated(model: Model, resource: Resource): Promise<void> {
  await addThree(model, resource);
  for (const count of [1, 1, 2]) await Promise.all(Array.from({ length: count }, () => model.add(resource)));
  await model.expectCreated();
  await expectAll(model, 'it was created');
}

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

/** Says that something is refused because it refers to nothing. */
const unknown = /no such|unknown|(not|n't) (exist|found|known)/i;

/** Says that a field refers to what there is. */
const existing = /\bexisting\b|\bmust exist\b|\botherwise\b[^.]*\b(4\d\d|refused)\b/i;

/** Says that what a field refers to must not have been removed. */
const removed = /\b(not|is|was|been) (deleted|removed|archived)\b/i;

/** Says that two fields must not name the same. */
const different =
  /\bother than\b|\bdifferent from\b|\btwo different\b|\b(are|be|is|not) the same\b|\bto itself\b|\bmust differ\b/i;

/** A server need not look at what a body refers to, unless the document has a refusal for it. */
export async function checkReferring(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { payload, operation } = about;
  const { at } = await model.create(resource);
  const isCreation = about === resource.create;
  const fields: Readonly<Record<string, Schema & { description?: string }>> = fieldsOf(payload?.schema);
  const texts = Object.keys(fields).filter((name) => fields[name]?.type === 'string');
  const body = isCreation ? await model.body(resource) : {};
  const all = { ...Object.fromEntries(texts.map((name) => [name, ''])), ...body };
  const told = Object.values(operation.responses).map(({ description }) => description);
  const send = async (name: string, id: string) => {
    const named = { ...body, [name]: typed(all[name], id) };
    if (payload?.faultsOf(named).length !== 0) return undefined;
    const { item, response } = isCreation
      ? await model.tryCreate(resource, named)
      : { item: undefined, response: await model.send(about, { at, body: named }) };
    if (response.status >= 500) fail(`a body that refers to nothing gets ${response.status}`, response);
    return { isAccepted: isCreation ? item !== undefined : isSuccess(response), response };
  };
  const named = new Map(model.referencesIn(all, resource, { isNaming: true, fields }));
  for (const [name, other] of named) {
    const unnamed = await send(name, model.chosenId(other.parameter.schema));
    if (!unnamed) continue;
    const isNamed =
      existing.test(fields[name]?.description ?? '') ||
      told.some((each) => unknown.test(each) && each.toLowerCase().includes(other.name));
    if (unnamed.isAccepted && isNamed) fail(`${name}, which refers to nothing, is accepted`, unnamed.response);
    const isOfRemoved = told.concat(fields[name]?.description ?? '').some((each) => removed.test(each));
    if (other.remove && isOfRemoved && !unnamed.isAccepted) {
      const gone = await model.create(other);
      const response = isSuccess(await model.remove(gone)) ? await send(name, gone.id) : undefined;
      if (response?.isAccepted === true) fail(`${name}, which names what was removed, is accepted`, response.response);
    }
    await checkPair(name, other);
    // Who looks whether there is such an item must look whose it is.
    const foreign = !unnamed.isAccepted && isPrivate(other.create) && (await createdByOther(model, other));
    const given = foreign ? await send(name, foreign.id) : undefined;
    if (given?.isAccepted === true) fail(`${name}, which names what another tenant made, is accepted`, given.response);
  }

  /** What two fields name are two items, which have a field in common, if the document says so. */
  async function checkPair(name: string, of: Resource): Promise<void> {
    const [, first = ''] =
      Object.entries(body).find(([each, id]) => each !== name && named.get(each) === of && id) ?? [];
    const ofFields = Object.values(fields).map(({ description = '' }) => description);
    const said = [operation.description, ...told, ...ofFields].join('. ');
    if (!isCreation || first === '') return;
    const same = different.test(said) ? await send(name, String(first)) : undefined;
    if (same?.isAccepted === true) fail(`${name} is accepted though it names the same as another field`, same.response);
    for (const [field, { enum: values = [] }] of Object.entries(of.sent.properties)) {
      const words = `${field.replace(/y$/, '(?:y|ie)')}s?`;
      if (values.length < 2 || !new RegExp(`\\bsame ${words}\\b|\\b${words} (differ|must match)`, 'i').test(said))
        continue;
      const made = await model.body(of, undefined, 'given texts');
      const { item } = await model.tryCreate(of, { ...made, [field]: values.find((each) => each !== made[field]) });
      const differing = item && (await send(name, item.id));
      if (differing?.isAccepted === true)
        fail(`${name} is accepted though what it names has another ${field}`, differing.response);
    }
  }
}

/** An item of another tenant, as the document shows it; undefined if there is none. */
export async function createdByOther(model: Model, resource: Resource): Promise<Item | undefined> {
  const caller = 'other';
  const made = async () => model.tryCreate(resource, await model.body(resource, undefined, 'none', caller), { caller });
  return (await orNone(made()))?.item;
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

const walks = 3;
const longestWalk = 24;
const first = 4;
const mostItems = 8;
const actions = ['create', 'create', 'replace', 'change', 'change', 'remove', 'list', 'together'] as const;

/** The number chooses among what there is. */
interface Move {
  readonly action: (typeof actions)[number];
  readonly which: number;
}

const numbered = { action: fc.constantFrom(...actions), which: fc.nat({ max: 1000 }) };
const move = fc.record(numbered, { noNullPrototype: true });
const steps = fc.array(move, { minLength: 1, maxLength: longestWalk, size: 'max' });

/** The resources whose items can be created and found, if any of them can be updated or removed. */
export function walkedResources(resources: readonly Resource[]): Resource[] {
  const walked = resources.filter(
    ({ create, read, list, parent }) => create && (read ?? list) !== undefined && (!parent || parent.create),
  );
  return walked.some(({ change, replace, remove }) => change ?? replace ?? remove) ? walked : [];
}

/** The seed of the run chooses the walks. @throws {Error} with the fewest steps of the first that fails, and that seed */
export async function checkWalks(model: Model, walked: readonly Resource[], { seed }: CheckContext): Promise<void> {
  const able: Resource[] = [];
  let unable: unknown;
  for (const resource of walked)
    await model.create(resource).then(
      () => able.push(resource),
      (error: unknown) => {
        if (!(error instanceof UnmetPreconditionError)) throw error;
        unable = error;
      },
    );
  if (able.length === 0) throw unable;
  const faultIn = async (walk: readonly Move[]): Promise<unknown> => {
    model.made = [];
    model.live = [];
    try {
      for (let which = 0; which < first; which += 1) await addSome(model, able, which);
      for (const each of walk) await take(model, able, each);
      await model.expectAll('the walk');
      return undefined;
    } catch (error) {
      return error;
    } finally {
      await model.cleanUp(model.made);
    }
  };
  for (const walk of fc.sample(steps, { seed, numRuns: walks })) {
    let fault = await faultIn(walk);
    if (fault === undefined) continue;
    if (isUnsent(fault) || fault instanceof NoResponseError) throw fault;
    const kept = await fewest(walk, async (fewer) => {
      const seen = await faultIn(fewer);
      if (seen === undefined || isUnsent(seen)) return false;
      fault = seen;
      return true;
    });
    const { message, cause } = fault as Error;
    const found = `the smallest input found is ${fc.stringify(kept)}, again with --seed ${seed}`;
    throw new Error(`${message}; ${found}`, { cause });
  }
}

/** Takes a step, and compares what it touched and one item that it did not. */
async function take(model: Model, walked: readonly Resource[], { action, which }: Move): Promise<void> {
  const [one, other] = [which, which + 1].map((at) => model.live[at % Math.max(1, model.live.length)]);
  if (action === 'create' || !one) await addSome(model, walked, which);
  else if (action === 'list') await model.expectListed(one.resource);
  else if (action === 'remove') await (one.resource.remove && model.remove(one));
  else if (action !== 'together') await update(model, one, action, true);
  else
    await Promise.all([
      update(model, one, 'change'),
      other !== one && other && update(model, other, 'change'),
      addSome(model, walked, which),
    ]);
  for (const each of [one, other]) if (each && model.live.includes(each)) await model.expectRead(each, action);
}

async function addSome(model: Model, walked: readonly Resource[], which: number): Promise<void> {
  const resource = walked[Math.floor(which / 2) % walked.length];
  if (!resource || model.live.length >= mostItems) return;
  const parents = model.live.filter((item) => item.resource === resource.parent);
  const owner = isBelowParent(resource) ? parents[which % Math.max(1, parents.length)] : undefined;
  if (owner || !isBelowParent(resource)) await model.add(resource, owner?.at);
}

async function update(model: Model, item: Item, action: 'change' | 'replace', isAlone = false): Promise<void> {
  const { resource } = item;
  const { change, replace } = resource;
  const by = action === 'change' || !replace ? (change ?? replace) : replace;
  if (!by) return;
  const bodies = by === change ? await changesOf(model, resource) : [await model.body(resource, by)];
  const body = bodies[model.made.length % Math.max(1, bodies.length)];
  if (body) await (isAlone ? model.apply(item, by, body) : model.update(item, by, body));
}
