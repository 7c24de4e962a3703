/** Relations of what acts on items beside their own operations: on several at once, on one as `/orders/{id}/pay`, and numbers that count them. */
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, requiredFieldsOf } from '../document/schemas.ts';
import type { Schema } from '../document/model.ts';
import { isObject, parsed, told } from '../oracle/json.ts';
import { pathTextOf } from '../oracle/parameters.ts';
import { literally } from '../document/match.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { HttpResponse } from '../run/model.ts';
import { successSchema } from '../plan/parameters.ts';
import { bodyNamingItems, type Step, stepsOf } from './changes.ts';
import { differing, fail, isSuccess, type Item, typed, unmet } from './exchange.ts';
import type { Model } from './model.ts';
import {
  entityFields,
  entityIn,
  identifierIn,
  isBelowParent,
  pluralOrOne,
  refersTo,
  type Resource,
  type Resources,
  shownFields,
} from './resources.ts';
import { isPrivate } from './access.ts';
import { addBelow, addThree, createdByOther } from './state.ts';
import { type Fields, type Freedom, isKept, listedSchema, objectsIn, plainName } from './values.ts';

/** A number that counts the items of a resource: all of them, or those that refer to an item of another. */
export interface Counter {
  readonly read: Baseline;
  readonly field: string;
  readonly of?: Resource;
  /** The field that refers to the item, if it is not in the path. */
  readonly reference?: string | undefined;
  /** The field and the state in which an item counts, as in "the number of active members". */
  readonly state?: readonly [field: string, value: unknown] | undefined;
}

/** Says that not all are counted, or later. */
const someAlone =
  /\b(cache|hour|daily|eventual|approximate|estimate|last|past|recent|since|ever|not|only|who|that|which|with(out)?|active|open|approved|published|confirmed|visible)\b/i;

export function countersOf(resource: Resource, { resources, baselines }: Resources): Counter[] {
  const { create, name, parent, path } = resource;
  const names = Object.keys(fieldsOf(create?.json?.schema));
  const [stem] = name.split(/(?:ation|ment|ing|er|or|ee)$/);
  const several = `${name.replace(/y$/, 'ie')}s`;
  const isCounter = new RegExp(`^(number(of)?|num|total|n)?(${name}|${several}|${stem}e?d)(count|total|number)?$`);
  const isWhole = new RegExp(
    `^((number(of)?|num|total|n)(${name}|${several})|${several}|${name}(count|total|number))$`,
  );
  /** As in `total`, which is said to be that of all books. */
  const isTotal = (field: string, text: string) =>
    /^(total|all|count)(count)?$/.test(field) &&
    new RegExp(`\\b(all|every|each|total|number|counts?)\\b[^.]*\\b${pluralOrOne(name)}\\b`, 'i').test(text);
  const states = Object.entries(fieldsOf(resource.listed)).flatMap(([field, { enum: values = [] }]) =>
    values.map((value) => [field, value] as const),
  );
  const countsIn = (fields: Record<string, Schema & { description?: string }>, pattern: RegExp, said = '') =>
    Object.entries(fields).flatMap(([field, { type, description = '' }]) => {
      const text = `${said} ${description}`.replaceAll(/[^.;,]*\b(deleted|removed)\b[^.;,]*/gi, '');
      const named = states.filter(([, value]) => new RegExp(`\\b${literally(String(value))}\\b`, 'i').test(text));
      const [state] = named.length === 1 ? named : [];
      const isAll = !someAlone.test(state ? text.replace(String(state[1]), '') : text);
      const isNamed = pattern.test(plainName(field)) || (pattern === isWhole && isTotal(plainName(field), text));
      return type === 'integer' && isNamed && isAll ? [{ field, state }] : [];
    });
  const ofAll = baselines.flatMap((read): Counter[] => {
    const { method, path: at, description, parameters } = read.operation;
    const isOne = method === 'get' && !/\{/.test(at + path.replace(/\{[^{}]*\}$/, '')) && parameters.length === 0;
    const shown = fieldsOf(successSchema(read.operation));
    const parts =
      isOne && !listedSchema(read.operation) ? [shown, ...Object.values(shown).map((each) => fieldsOf(each))] : [];
    return parts.flatMap((part) => countsIn(part, isWhole, description)).map((found) => ({ read, ...found }));
  });
  // As `/vehicles/{id}/summary`.
  const besides = ({ path: at }: Resource) =>
    baselines.filter(({ operation: { method, path: each, parameters } }) => {
      const isBelow = each.startsWith(`${at}/`) && !each.slice(at.length).includes('{');
      return method === 'get' && isBelow && parameters.every(({ in: place }) => place === 'path');
    });
  const ofItems = resources.flatMap((of): Counter[] => {
    const { sent } = of;
    const reference = isBelowParent(resource)
      ? undefined
      : names.find((each) => refersTo(of, each, resource.sent.properties[each], resources));
    const isOwner = isBelowParent(resource) ? of === parent : reference !== undefined && of !== resource;
    if (!isOwner || !of.create) return [];
    return [of.read ?? [], ...besides(of)].flat().flatMap((read): Counter[] => {
      const found = countsIn(shownFields(read, of), isCounter).find(({ field }) => !sent.properties[field]);
      return found ? [{ of, read, reference, ...found }] : [];
    });
  });
  return [...ofAll, ...ofItems];
}

/** The actions on one item, as `/orders/{id}/pay`. */
export function actionsOf({ path: item }: Resource, { baselines, resources }: Resources): Baseline[] {
  return baselines.filter((each) => {
    const { method, path } = each.operation;
    const isBelow = path.startsWith(`${item}/`) && !/[{/]/.test(path.slice(item.length + 1));
    return method === 'post' && isBelow && !resources.some(({ create }) => create === each);
  });
}

/** Adding moves a counter, and removing what was added brings it back; that of a state is how many are listed in it. */
export async function checkCounted(model: Model, resource: Resource, counter: Counter): Promise<void> {
  const { of, read, field, reference, state } = counter;
  const isBelow = of && reference === undefined;
  const owner = isBelow ? await model.createBelow(resource, of) : of && (await model.create(of));
  const at = isBelow && owner ? { at: owner.at } : {};
  const count = async () => {
    const response = await model.send(read, owner ? { at: owner.at } : {});
    const shown = objectsIn(parsed(response.text)).find((each) => typeof each[field] === 'number');
    return [Number(shown?.[field] ?? unmet(`missing: ${field} in a response`)), response] as const;
  };
  const inState = async () => {
    const { items, complete } = state ? await model.listAll(resource, at) : { items: [], complete: false };
    const isOf = (each: Fields) => reference === undefined || String(each[reference]) === owner?.id;
    const isWhole = complete && resource.query?.isSelective !== true;
    return isWhole ? items.filter((each) => isOf(each) && each[state?.[0] ?? ''] === state?.[1]).length : undefined;
  };
  const [[before], listedBefore = 0] = [await count(), await inState()];
  const expectOfState = async (when: string) => {
    const [[now, response], listed] = [await count(), await inState()];
    const expected = before - listedBefore + (listed ?? 0);
    if (listed !== undefined && now !== expected)
      fail(`${field} is ${now} after ${when}, and ${told(state?.[1])} are ${expected}`, response);
  };
  const made: Item[] = [];
  while (made.length < 2) {
    const [last] = await count();
    made.push(await model.create(resource, at, reference === undefined ? {} : { [reference]: owner?.id }));
    const [now, response] = await count();
    if (!of && made.length === 1 && (await createdByOther(model, resource)) && (await count())[0] !== now)
      fail(`${field} counts what another tenant made`, response);
    if (!state && now === last) fail(`${field} is still ${now} after another ${resource.name} was created`, response);
    // Of an item of its own, nobody else adds to what it counts.
    if (!state && of && now !== last + 1)
      fail(`${field} is ${now} after one more ${resource.name} was created, and was ${last}`, response);
  }
  await expectOfState('two were created');
  for (const action of state ? actionsOf(resource, model.run) : []) {
    const { json, operation } = action;
    await model.send(action, { at: made[0]?.at ?? {}, body: json?.valid });
    await expectOfState(operation.operationId);
  }
  for (const item of made) if (!resource.remove || !isSuccess(await model.remove(item))) return;
  await expectOfState('both were removed');
  const [now, response] = await count();
  if (!state && made.every((item) => model.removed.get(item) === true) && now !== before)
    fail(`${field} is ${now} after what was created is removed, and was ${before}`, response);
}

const restoring = /restor|undelet|undo|recover|reactivat/i;
/** Says that the second of two equal requests gets 409. */
const onlyOnce = /\bonce\b|\balready \w+ed\b/i;

/** Says that the second of two equal requests gets what the first one got. */
const repeatable = /\bidempotent\b|\balready\b[^.]*\bunchanged\b/i;

/** Whether the document says, in words, that a state in which an item is makes an operation conflict. */
function conflictsIn({ operation }: Baseline, entity: Fields, fields: Readonly<Record<string, Schema>>): boolean {
  const { description, responses, operationId } = operation;
  const { 409: conflict } = responses;
  // 'Only a draft can be published' is no word of what is published if it is said of publishing.
  const withoutOwn = (all: string, verb: string) => (operationId.toLowerCase().includes(verb.toLowerCase()) ? '' : all);
  return Object.entries(fields).some(([name, { enum: states = [] }]) => {
    const state = entity[name];
    if (!conflict || typeof state !== 'string' || !states.includes(state)) return false;
    const word = (value: unknown) => literally(String(value)).replaceAll(/[_-]/g, '[ _-]');
    const [any, now] = [states.map(word).join('|'), word(state)];
    const others = [description, conflict.description].join('. ').split(/[.;]\s+/);
    // As in 'not pending', or 'only pending or confirmed bookings'.
    const isOther = (text: string) =>
      new RegExp(`\\b(not|only|must be)( in| an?| yet)* (${any})s?\\b`, 'i').test(text) &&
      !new RegExp(`\\b(${now})s?\\b`, 'i').test(text.replace(/\b(?:can|may) be (\w{4})\w*/i, withoutOwn));
    const isNamed = new RegExp(`\\b(is|are|was|been|already) (already |been )*(${now})\\b|\\b(${now}) already\\b`, 'i');
    return others.some(isOther) || isNamed.test(conflict.description);
  });
}

/** Whether a value is a time, which may move on: whether there is one does not. */
function isTime({ format }: Schema, value: unknown): boolean {
  return format === 'date-time' && value !== null && value !== undefined;
}

/** What a response to an action shows of an item is what is read of it, and no other item changes. @param others that its state may forbid */
export async function checkActed(model: Model, resource: Resource, action: Baseline, others: readonly Baseline[]) {
  const { operation, json } = action;
  const act = (body: unknown, at: Item['at']) => model.send(action, { at, ...(json && { body }) });
  const [valid, fields] = [await bodyNamingItems(model, resource, action.json), Object.entries(fieldsOf(json?.schema))];
  const variants = fields.flatMap(([name, { enum: values = [] }]) =>
    values.map((value) => ({ ...valid, [name]: value })),
  );
  const isRestoring = resource.remove && restoring.test(`${operation.operationId} ${operation.path}`);
  let freedom: Freedom | undefined;
  let before: Step | undefined;
  let last: HttpResponse | undefined;
  const another = async () => {
    const { item } = await model.tryCreate(resource, await model.body(resource, undefined, freedom));
    if (item && before) await model.send(before.by, { at: item.at, body: before.body });
    return item;
  };
  await checkForeignNamed(model, resource, action);
  const three = await addThree(model, resource);
  const { entity: fresh = {} } = await model.find(three);
  const isForbidden = conflictsIn(action, fresh, entityFields(resource));
  if (isForbidden && isSuccess((last = await act(valid, three.at))))
    fail(`expected 409 for what was just created, got ${last.status}`, last);
  if (await hasActedOn(three)) return;
  const actions = others.filter((each) => each !== action && each.operation.method === 'post');
  // An amount of its own, say, may be too much, or it may be possible only after another action.
  const trySteps = async () => {
    for (before of [undefined, ...stepsOf(resource, actions)]) {
      freedom = before ? undefined : 'none';
      const plain = await another();
      if (plain && (await hasActedOn(plain))) return true;
    }
    return false;
  };
  if (await trySteps()) return;
  // It may take something that belongs to what the item refers to, or what the tester has given.
  for (const owner of model.owners) await addBelow(model, owner);
  if (await trySteps()) return;
  model.namesGiven = true;
  if (await trySteps()) return;
  unmet(`missing: a state and a body in which it succeeds (it responds ${last?.status})`);

  async function hasActedOn(item: Item): Promise<boolean> {
    const { at, id } = item;
    if (isRestoring) {
      await addBelow(model, item);
      await model.send(resource.remove, { at });
    }
    for (const body of [valid, ...variants]) {
      const response = await act(body, at);
      if (response.status >= 500) fail(`a valid request gets ${response.status}`, response);
      last = response;
      if (!isSuccess(response)) continue;
      const shown = response.text === '' ? {} : entityIn(parsed(response.text), resource);
      // What has an identifier of its own is another item, though it may name this one.
      const { id: own = id } = shown ?? {};
      if (!shown || (response.text !== '' && (identifierIn(shown, resource) !== id || String(own) !== id))) continue;
      const { entity, response: read } = await model.find(item);
      const types = entityFields(resource);
      const name = Object.keys(shown).find(
        (each) => types[each] && !isTime(types[each], entity?.[each]) && !isKept(shown[each], entity?.[each]),
      );
      if (name !== undefined)
        fail(
          `${name} is ${told(entity?.[name])} after ${operation.operationId}, which has responded with ${told(shown[name])}`,
          read,
        );
      if (isRestoring) await model.expectRead(item, operation.operationId);
      await model.expectOthers(item, `${operation.operationId} of another`);
      for (const each of others.filter((other) => conflictsIn(other, entity ?? {}, types))) {
        const headers = await model.matching(item, each);
        const changed = each.json && (await model.body(resource, each));
        const refused = await model.send(each, { at, body: changed, headers });
        if (isSuccess(refused)) fail(`expected 409 after ${operation.operationId}, got ${refused.status}`, refused);
      }
      await checkActedOnce(body, at);
      return true;
    }
    return false;
  }

  /** What is possible once is not possible twice at the same time. */
  async function checkActedOnce(body: unknown, at: Item['at']): Promise<void> {
    const { 409: conflict } = operation.responses;
    const isRepeatable = repeatable.test(operation.description);
    const again = (conflict ?? isRepeatable) ? await act(body, at) : undefined;
    const isOnce = onlyOnce.test(`${operation.description} ${conflict?.description}`);
    if (again && isOnce && isSuccess(again)) fail(`expected 409 for what is possible once, got ${again.status}`, again);
    if (again?.status === 409 && isRepeatable) fail('expected what can be repeated to succeed again, got 409', again);
    for (let round = 0; round < 2 && again?.status === 409; round += 1) {
      const { at: other } = (await another()) ?? unmet('missing: another item to act on');
      const [first, second] = (await Promise.all([act(body, other), act(body, other)])).filter(isSuccess);
      if (first && second) fail('two at the same time succeed, and the second of two in turn gets 409', second);
    }
  }
}

/** An action that succeeds with another item of one's own is refused with that of another tenant. */
async function checkForeignNamed(model: Model, resource: Resource, action: Baseline): Promise<void> {
  const body = await bodyNamingItems(model, resource, action.json);
  const references = model.referencesIn(body, resource, { fields: fieldsOf(action.json?.schema), isOwn: true });
  for (const [name, other] of references.filter(([, { create }]) => isPrivate(create))) {
    if (!isSuccess(await model.send(action, { at: (await model.create(resource)).at, body }))) continue;
    const foreign = await createdByOther(model, other);
    const named = foreign && { ...body, [name]: typed(body[name], foreign.id) };
    const response = named && (await model.send(action, { at: (await model.create(resource)).at, body: named }));
    if (response && isSuccess(response)) fail(`${name}, which names what another tenant made, is accepted`, response);
  }
}

const many = 3;

/** Says that of several items all are created or none. */
const wholly = /\ball\b[^.;]*\bor none\b|\batomic|\bnone (of them )?(is|are) created/i;

/** The field of a body that is a list of what creates an item, or the empty text if that is the body. */
export function listIn(about: Baseline, resource: Resource): string | undefined {
  const { json, operation } = about;
  const { create } = resource;
  const wanted = sentFields(fieldsOf(create?.json?.schema), resource);
  // A server that tells of each item whether it is valid may describe none.
  const isOpen = /bulk|batch|import/i.test(operation.path) && operation.path.startsWith(`${create?.operation.path}/`);
  const isIt = (items: Schema = {}) =>
    isDeepStrictEqual(sentFields(fieldsOf(items), resource), wanted) ||
    (isOpen && isDeepStrictEqual(items, { type: 'object' }));
  const isList = ({ type, items, maxItems = many }: Schema) => type === 'array' && maxItems >= many && isIt(items);
  if (operation.method !== 'post' || !json || Object.keys(wanted).length === 0) return undefined;
  return isList(json.schema) ? '' : Object.entries(fieldsOf(json.schema)).find(([, field]) => isList(field))?.[0];
}

/** The field in which each of several items names its owner, as in `{ "vehicle_id": ..., "litres": ... }`. */
function ownerFieldIn(fields: Readonly<Record<string, Schema>>, { parent, create }: Resource): string | undefined {
  const own = fieldsOf(create?.json?.schema);
  return Object.keys(fields).find((name) => !own[name] && parent && refersTo(parent, name));
}

/** The fields that clients send of an item, without that of its owner. */
function sentFields(fields: Readonly<Record<string, Schema>>, resource: Resource): Record<string, Schema> {
  const naming = ownerFieldIn(fields, resource);
  return Object.fromEntries(
    Object.entries(fields).filter(([name, field]) => name !== naming && field['readOnly'] !== true),
  );
}

/** @throws {Error} if an item that a response shows as created is not found so, or one is left out that is accepted alone */
export async function checkBulk(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { at: own } = await model.create(resource);
  const name = listIn(about, resource) ?? '';
  const { schema = {}, valid } = about.json ?? {};
  const { items = {} } = name === '' ? schema : (fieldsOf(schema)[name] ?? {});
  const naming = ownerFieldIn(fieldsOf(items), resource);
  const owner = own[resource.parent?.parameter.name ?? ''] ?? '';
  const itemBody = async (of = decodeURIComponent(owner)): Promise<Fields> => {
    return { ...(await model.body(resource)), ...(naming !== undefined && { [naming]: of }) };
  };
  const send = (all: readonly Fields[]) =>
    model.send(about, { at: own, body: name === '' ? all : { ...(valid as Fields), [name]: all } });
  const sent: Fields[] = [];
  while (sent.length < many) sent.push(await itemBody());
  const response = await send(sent);
  if (!isSuccess(response)) unmet(`missing: several items that the server accepts (it responds ${response.status})`);
  const shown = identifiedIn(parsed(response.text), resource);
  const { parameter } = resource;
  const absent: Fields[] = [];
  const places: number[] = [];
  for (const fields of sent) {
    const same = shown.filter((each) => isShownAs(resource, fields, each));
    const [id, other] = new Set(same.map((each) => identifierIn(each, resource)));
    if (other !== undefined || model.live.some((each) => each.id === id))
      unmet('missing: fields in the response that tell what was created apart');
    if (id === undefined) absent.push(fields);
    else {
      places.push(shown.findIndex((each) => identifierIn(each, resource) === id));
      model.items.push(model.keep(itemOf(id, fields, response)));
    }
  }
  if (absent.length === many) unmet('missing: what was created, in the response');
  await model.expectAll('several were created');
  if (wholly.test(`${about.operation.description} ${about.operation.summary}`)) await checkNone();
  if (
    /in (the|its|their|this)( same)? order/i.test(about.operation.description) &&
    places.some((place, at) => place < (places[at - 1] ?? 0))
  )
    fail('the response has another order than the request', response);
  // Whether the server has a reason to leave an item out is seen by creating it alone.
  for (const fields of absent)
    if ((await model.tryCreate(resource, fields, { at: own })).item)
      fail(`${many - absent.length} of ${many} items are created, and the others are accepted alone`, response);
  if (naming !== undefined) await checkOwners(resource.parent as Resource);

  /** If the last of several is invalid, the first is not created. */
  async function checkNone(): Promise<void> {
    const [first, last] = [await itemBody(), await itemBody()];
    const [name = ''] = requiredFieldsOf(items).filter((each) => each !== naming);
    const refused = await send([first, await itemBody(), { ...last, [name]: undefined }]);
    if (isSuccess(refused) || name === '') return;
    const { items: all, last: seen } = await model.listAll(resource, { at: own });
    const isCreated = all.some((each) => isShownAs(resource, first, each));
    if (isCreated) fail(`the first of several is created, though the last is refused with ${refused.status}`, seen);
  }

  function itemOf(id: string, fields: Fields, shownBy: HttpResponse): Item {
    const at = { ...own, [parameter.name]: pathTextOf(parameter, id) ?? id };
    return { resource, id, at, fields, response: shownBy, caller: 'own' };
  }

  /** Of several items, those of an owner that there is not, or of another tenant, are not created, and the others are. */
  async function checkOwners(parent: Resource): Promise<void> {
    const foreign = isPrivate(parent.create) && (await createdByOther(model, parent));
    for (const other of [model.chosenId(parent.parameter.schema), ...(foreign ? [foreign.id] : [])]) {
      const [right, wrong] = [await itemBody(), await itemBody(other)];
      const mixed = await send([wrong, right]);
      const all = isSuccess(mixed) ? identifiedIn(parsed(mixed.text), resource) : [];
      if (all.some((each) => isShownAs(resource, wrong, each))) fail(`an item of ${other} is created`, mixed);
      const found = all.find((each) => isShownAs(resource, right, each));
      const id = found && identifierIn(found, resource);
      if (id === undefined) continue;
      const item = itemOf(id, right, mixed);
      model.items.push(item);
      await model.expectRead(item, 'it was created beside one that was refused');
    }
  }
}

function isShownAs(resource: Resource, sent: Fields, shown: Fields): boolean {
  const isCommon = Object.keys(sent).some((name) => Object.hasOwn(shown, name));
  return isCommon && differing(resource, sent, shown, resource.create) === undefined;
}

/** The objects of a response that have an identifier of the resource, at any depth. */
function identifiedIn(value: unknown, resource: Resource): Fields[] {
  if (Array.isArray(value)) return value.flatMap((each) => identifiedIn(each, resource));
  if (!isObject(value)) return [];
  const isNamed = Object.keys(value).some((name) => resource.idNames.slice(0, 2).includes(plainName(name)));
  return [...(isNamed ? [value] : []), ...Object.values(value).flatMap((each) => identifiedIn(each, resource))];
}
