/** Relations of what acts on one item beside its own operations, as `/orders/{id}/pay`. */
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../../document/model.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { isObject, parsed, told } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { HttpResponse } from '../../run/model.ts';
import { isPrivate } from '../access.ts';
import { expectConflict, fail, isSuccess, type Item, refusedWith, typed, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import { type Resource } from '../resources.ts';
import { actionsOf, type Step, stepsOf } from '../steps.ts';
import { addBelow, addThree, createdByOther } from '../state.ts';
import { type Fields, type Freedom, isKept, isMoving, plainName } from '../values.ts';
import { bodyNamingItems, variantsOf } from './changes.ts';
import { saysOfStates, watch } from './effects.ts';
import { refusalOf, wordOf } from '../said.ts';
import { entityFields, entityIn, identifierIn, placeOf } from '../identity.ts';
import { expectHindered } from '../removals.ts';

const restoring = /restor|undelet|undo|recover|reactivat/i;
const notRemoved = /\b(not|never) (been )?(deleted|removed|trashed|archived)\b/i;
/** Says that the second of two equal requests gets 409. */
const onlyOnce = /(?<!\bat )\bonce\b|\balready \w+ed\b/i;

/** Says that the second of two equal requests gets what the first one got. */
const repeatable = /\bidempotent\b|\balready\b[^.]*\bunchanged\b/i;

/** As in "`reversed_by` is the new transfer". */
const newOne = /`(\w+)` (?:is|names|refers to|becomes) the new \w+/i;

const refusing = /\b(4\d\d|refus\w*|reject\w*|conflicts?|cannot|error)\b|n't\b/i;

/** Whether the document says, in words, that a state in which an item is makes an operation conflict. */
function conflictsIn(by: Baseline, entity: Fields, fields: Readonly<Record<string, Schema>>): boolean {
  const { description, operationId } = by.operation;
  // 'Only a draft can be published' is no word of what is published if it is said of publishing.
  const withoutOwn = (all: string, verb: string) => (operationId.toLowerCase().includes(verb.toLowerCase()) ? '' : all);
  return Object.entries(fields).some(([name, { enum: states = [] }]) => {
    const state = entity[name];
    if (typeof state !== 'string' || !states.includes(state)) return false;
    const [any, now] = [states.map(wordOf).join('|'), wordOf(state)];
    const said = [description, `${refusalOf(by)}. ${by.operation.responses['422']?.description ?? ''}`].map((text) =>
      text.replaceAll('`', '').split(/[.;]\s+/),
    );
    // As in 'not pending', or 'only pending or confirmed bookings'; 'a course that is not archived' says when it is possible.
    const others = said.flatMap((texts, at) =>
      texts.filter((text) => at === 1 || refusing.test(text) || !/\bnot\b/i.test(text)),
    );
    const isOther = (text: string) =>
      new RegExp(`\\b(not|only|must be)( in| an?| yet)* (${any})s?\\b`, 'i').test(text) &&
      !new RegExp(`\\b(${now})s?\\b`, 'i').test(text.replace(/\b(?:can|may) be (\w{4})\w*/i, withoutOwn));
    const isNamed = new RegExp(`\\b(is|are|was|been|already) (already |been )*(${now})\\b|\\b(${now}) already\\b`, 'i');
    const isExcepted = new RegExp(`\\b(that|which) (is|are) not (${now})\\b`, 'i').test(description);
    // As in "Archived and deleted books cannot be updated".
    const isForbidden = new RegExp(
      `\\b(${now})\\b(,? (and|or) [\\w-]+)* \\w+ (cannot|can't|can not|may not)\\b`,
      'i',
    ).test(description);
    // What something needs does not forbid it.
    const forbidding = (said[1] ?? []).filter((text) => !/\b(needs?|requires?|unless)\b/i.test(text));
    return isExcepted || isForbidden || others.some(isOther) || forbidding.some((text) => isNamed.test(text));
  });
}

/** Whether a value is a time, which may move on: whether there is one does not. */
function isTime({ format }: Schema, value: unknown): boolean {
  return format === 'date-time' && value !== null && value !== undefined;
}

/** The field without a value before an action that has the name of one that was sent, as `cancel_reason` for `reason`, and still has none. */
function lostIn(sent: Fields, before: Fields, after: Fields): string | undefined {
  const isNone = (value: unknown) => value === null || value === '';
  return Object.keys(sent).flatMap((name) => {
    const named = Object.keys(after).filter((each) => plainName(each).endsWith(plainName(name)) && each in before);
    const [field, ...others] = named;
    return field !== undefined &&
      others.length === 0 &&
      !isNone(sent[name]) &&
      isNone(before[field]) &&
      isNone(after[field])
      ? [field]
      : [];
  })[0];
}

/** What a response to an action shows of an item is what is read of it, and no other item changes. @param others that its state may forbid */
export async function checkActed(model: Model, resource: Resource, action: Baseline, others: readonly Baseline[]) {
  const { operation, payload } = action;
  const act = (body: unknown, at: Item['at']) => model.send(action, { at, ...(payload && { body }) });
  const valid = await bodyNamingItems(model, resource, action.payload);
  const variants = variantsOf(action, valid);
  const isRestoring = resource.remove !== undefined && restoring.test(`${operation.operationId} ${operation.path}`);
  let freedom: Freedom | undefined;
  let before: Step | undefined;
  let last: HttpResponse | undefined;
  let isOwner = false;
  const another = async () => {
    const made = await model.tryCreate(resource, await model.body(resource, undefined, freedom));
    // What it refers to may have one already.
    if (made.response.status === 409) model.forgetReferences(resource);
    const { item } = made.item ? made : await model.tryCreate(resource, await model.body(resource, undefined, freedom));
    if (item && isOwner) await addBelow(model, item);
    if (item && before) await model.send(before.by, { at: item.at, body: before.body });
    return item;
  };
  await checkForeignNamed(model, resource, action);
  await expectHindered(model, resource, action);
  const three = await addThree(model, resource);
  const { entity: fresh = {} } = await model.find(three);
  const refusal = refusalOf(action);
  const isForbidden = conflictsIn(action, fresh, entityFields(resource)) || (isRestoring && notRemoved.test(refusal));
  if (isForbidden) expectConflict(action, (last = await act(valid, three.at)), 'for what was just created');
  const actions = actionsOf(resource, model.run);
  const ofState = others.filter((each) => !actions.includes(each));
  await expectConflicts(model, three, ofState, 'it was created');
  const steps = stepsOf(
    resource,
    actions.filter((each) => each !== action),
  );
  // An amount of its own, say, may be too much, or it may be possible only after another action.
  const trySteps = async () => {
    for (before of [undefined, ...steps]) {
      freedom = before ? undefined : 'none';
      const plain = await another();
      if (plain && (await hasActedOn(plain))) return true;
    }
    return false;
  };
  const tryWithMore = async () => {
    // It may take something that belongs to it, or to what the item refers to, or what the tester has given.
    isOwner = true;
    for (const owner of model.owners) await addBelow(model, owner);
    if (await trySteps()) return true;
    model.namesGiven = true;
    return trySteps();
  };
  if (!((await hasActedOn(three)) || (await trySteps()) || (await tryWithMore()))) {
    if (last && isSuccess(last)) unmet('missing: an action on the item itself, as its response shows another one');
    refusedWith('a state and a body in which it succeeds', last);
  }
  freedom = 'none';
  const several = await model.withAnother(await model.body(resource, undefined, freedom), resource);
  for (const owner of model.owners) await addBelow(model, owner);
  const { item: ofSeveral } = several ? await model.tryCreate(resource, several) : {};
  if (ofSeveral && before) await model.send(before.by, { at: ofSeveral.at, body: before.body });
  if (ofSeveral) await actWatched(ofSeveral, valid);
  // What is said of items in a state alone.
  for (before of saysOfStates(action, resource) ? steps : []) {
    const item = await another();
    if (item) await actWatched(item, valid);
  }

  async function actWatched(item: Item, body: unknown) {
    const { target, seen, expectSaid } = await watch(model, item, action, body);
    const response = await act(body, item.at);
    if (response.status < 500) await expectSaid(isSuccess(response));
    return { response, target, seen };
  }

  async function hasActedOn(item: Item): Promise<boolean> {
    const { at, id } = item;
    if (isRestoring) {
      await addBelow(model, item);
      await model.send(resource.remove, { at });
    }
    for (const body of [valid, ...variants]) {
      const { response, target, seen } = await actWatched(item, body);
      if (response.status >= 500) fail(`a valid request gets ${response.status}`, response);
      last = response;
      if (!isSuccess(response)) continue;
      const shown = response.text === '' ? {} : entityIn(parsed(response.text), resource);
      // What has an identifier of its own is another item, though it may name this one.
      const { id: own = id } = shown ?? {};
      if (target && own === target.id) return true;
      if (!shown) continue;
      const { entity, response: read } = await model.find(item);
      const isOther = response.text !== '' && (identifierIn(shown, resource) !== id || String(own) !== id);
      if (isOther && isDeepStrictEqual(entity, seen.entity)) continue;
      const [, naming = ''] = (isOther && newOne.exec(operation.description)) || [];
      if (isOther && entity?.[naming] !== undefined && told(entity[naming]) !== told(own))
        fail(`${naming} is ${told(entity[naming])} after ${operation.operationId}, and should be ${told(own)}`, read);
      const { etag } = seen.response.headers;
      if (etag?.startsWith('"') === true && etag === read.headers['etag'] && !isDeepStrictEqual(entity, seen.entity))
        fail(`the ETag is still ${etag} after ${operation.operationId}`, read);
      const types = entityFields(resource);
      const name = Object.keys(isOther ? {} : shown).find(
        (each) => types[each] && !isTime(types[each], entity?.[each]) && !isKept(shown[each], entity?.[each]),
      );
      if (name !== undefined)
        fail(
          `${name} is ${told(entity?.[name])} after ${operation.operationId}, which has responded with ${told(shown[name])}`,
          read,
        );
      const taken = isObject(body) && entity ? lostIn(body, seen.entity ?? {}, entity) : undefined;
      if (taken !== undefined)
        fail(`${taken} is ${told(entity?.[taken])} after ${operation.operationId} with ${told(body)}`, read);
      if (isRestoring) await model.expectRead(item, operation.operationId);
      await model.expectOthers(item, `${operation.operationId} of another`);
      await expectConflicts(model, item, others, operation.operationId);
      await checkActedOnce(body, at);
      await checkOneOfSeveral(body);
      const place = { ...at, [resource.parameter.name]: placeOf(resource, String(own)) };
      const ofResult =
        isOther && /\b(is|be) .*\bitself\b/.test(refusal + operation.description) && (await act(body, place));
      if (ofResult) expectConflict(action, ofResult, 'for what it has made itself');
      return true;
    }
    return false;
  }

  /** What conflicts with another item of the same owner, as the 409 says, does so. */
  async function checkOneOfSeveral(body: unknown): Promise<void> {
    if (!new RegExp(`\\banother ${resource.name}\\b[^.]*\\bof (the|its|this)( same)? \\w+`, 'i').test(refusal)) return;
    model.forgetReferences(resource);
    const [one, other] = [await another(), await another()];
    const named = one && model.referencesIn(one.fields, resource).map(([name]) => name);
    const isOfOne = named?.every((name) => one?.fields[name] === other?.fields[name]);
    if (!one || !other || isOfOne !== true || !isSuccess(await act(body, one.at))) return;
    const second = await act(body, other.at);
    expectConflict(action, second, `after that of another ${resource.name} of the same owner`);
  }

  /** What is possible once is not possible twice at the same time. */
  async function checkActedOnce(body: unknown, at: Item['at']): Promise<void> {
    const { 409: conflict } = operation.responses;
    const isRepeatable = repeatable.test(operation.description);
    const isOnce = onlyOnce.test(`${operation.description} ${conflict?.description}`);
    const again = conflict || isRepeatable || isOnce ? await act(body, at) : undefined;
    if (again && isOnce) expectConflict(action, again, 'a second time');
    if (again?.status === 409 && isRepeatable) fail('expected what can be repeated to succeed again, got 409', again);
    for (let round = 0; round < 3 && again?.status === 409; round += 1) {
      const { at: other } = (await another()) ?? unmet('missing: another item to act on');
      const [first, second] = (await Promise.all([act(body, other), act(body, other)])).filter(isSuccess);
      // One of what it refers to may be acted on already.
      if (!first) model.forgetReferences(resource);
      if (first && second) fail('two at the same time succeed, and the second of two in turn gets 409', second);
    }
  }
}

/** @throws {Error} if an operation succeeds though the document says that it conflicts in the state of the item */
export async function expectConflicts(model: Model, item: Item, others: readonly Baseline[], when: string) {
  const { resource, at } = item;
  const { entity = {} } = await model.find(item);
  for (const each of others.filter((other) => conflictsIn(other, entity, entityFields(resource)))) {
    const headers = await model.matching(item, each);
    const of = model.run.resources.find(({ create }) => create === each) ?? resource;
    const body = each.payload && (await model.body(of, each));
    const refused = await model.send(each, { at, body, headers });
    expectConflict(each, refused, `after ${when}`);
  }
}

/** The field of a body that has the state of an item, and its values. */
function statesIn(resource: Resource): [name: string, values: unknown[]][] {
  const fields = Object.entries(fieldsOf(resource.create?.payload?.schema));
  return fields.flatMap(([name, { enum: values }]): [string, unknown[]][] =>
    isMoving(name) && values ? [[name, values]] : [],
  );
}

/** Whether items can be created in several states. */
export function hasStates(resource: Resource): boolean {
  return statesIn(resource).length > 0;
}

/** What the document says that the state of an item forbids is refused right after its creation in it. */
export async function checkStates(model: Model, resource: Resource, others: readonly Baseline[]): Promise<void> {
  for (const [name, values] of statesIn(resource))
    for (const value of values) {
      const { item } = await model.tryCreate(resource, { ...(await model.body(resource)), [name]: value });
      if (item) await expectConflicts(model, item, others, `it was created as ${told(value)}`);
    }
}

/** An action that succeeds with another item of one's own is refused with that of another tenant. */
async function checkForeignNamed(model: Model, resource: Resource, action: Baseline): Promise<void> {
  const body = await bodyNamingItems(model, resource, action.payload);
  const references = model.referencesIn(body, resource, { fields: fieldsOf(action.payload?.schema), isOwn: true });
  for (const [name, other] of references.filter(([, { create }]) => isPrivate(create))) {
    if (!isSuccess(await model.send(action, { at: (await model.create(resource)).at, body }))) continue;
    const foreign = await createdByOther(model, other);
    const named = foreign && { ...body, [name]: typed(body[name], foreign.id) };
    const response = named && (await model.send(action, { at: (await model.create(resource)).at, body: named }));
    if (response && isSuccess(response)) fail(`${name}, which names what another tenant made, is accepted`, response);
  }
}
