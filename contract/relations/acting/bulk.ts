/** Relations of what creates or changes several items at once. */
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf } from '../../document/schemas.ts';
import type { Schema } from '../../document/model.ts';
import { isObject, parsed, told } from '../../oracle/json.ts';
import { pathTextOf } from '../../oracle/parameters.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { SchemaBody } from '../../plan/bodies.ts';
import type { HttpResponse } from '../../run/model.ts';
import { isPrivate } from '../access.ts';
import { differing, fail, isSuccess, type Item, refusedWith, typed, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import { type Resource, type Resources } from '../resources.ts';
import { createdByOther } from '../state.ts';
import { distinct, type Fields, isKept, plainName, rising } from '../values.ts';
import { bodyNamingItems } from './changes.ts';
import { entityFields, identifierIn, refersTo } from '../identity.ts';

const many = 3;

/** The field of a body that is a list of what creates an item, or the empty text if that is the body. */
export function listIn(about: Baseline, resource: Resource): string | undefined {
  const { payload, operation } = about;
  const { create } = resource;
  const wanted = sentFields(fieldsOf(create?.payload?.schema), resource);
  // A server that tells of each item whether it is valid may describe none.
  const isOpen = /bulk|batch|import/i.test(operation.path) && operation.path.startsWith(`${create?.operation.path}/`);
  const isIt = (items: Schema = {}) =>
    isDeepStrictEqual(sentFields(fieldsOf(items), resource), wanted) ||
    (isOpen && isDeepStrictEqual(items, { type: 'object' }));
  const isList = ({ type, items, maxItems = many }: Schema) => type === 'array' && maxItems >= many && isIt(items);
  if (operation.method !== 'post' || !payload || Object.keys(wanted).length === 0) return undefined;
  return isList(payload.schema) ? '' : Object.entries(fieldsOf(payload.schema)).find(([, field]) => isList(field))?.[0];
}

/** The field in which each of several items names its owner, as in `{ "vehicle_id": ..., "litres": ... }`. */
function ownerFieldIn(fields: Readonly<Record<string, Schema>>, { parent, create }: Resource): string | undefined {
  const own = fieldsOf(create?.payload?.schema);
  return Object.keys(fields).find((name) => !own[name] && parent && refersTo(parent, name));
}

/** The fields that clients send of an item, without that of its owner, and without what is only said of them. */
function sentFields(fields: Readonly<Record<string, Schema>>, resource: Resource): Record<string, Schema> {
  const naming = ownerFieldIn(fields, resource);
  const own = Object.entries(fields).filter(([name, field]) => name !== naming && field['readOnly'] !== true);
  return Object.fromEntries(
    own.map(([name, { description: _said, example: _shown, title: _title, ...field }]) => [name, field as Schema]),
  );
}

/** @throws {Error} if an item that a response shows as created is not found so, or one is left out that is accepted alone */
export async function checkBulk(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { at: own } = await model.create(resource);
  const name = listIn(about, resource) ?? '';
  const { schema = {}, valid } = about.payload ?? {};
  const { items = {} } = name === '' ? schema : (fieldsOf(schema)[name] ?? {});
  const naming = ownerFieldIn(fieldsOf(items), resource);
  const owner = own[resource.parent?.parameter.name ?? ''] ?? '';
  const itemBody = async (of = decodeURIComponent(owner)): Promise<Fields> => {
    return { ...(await model.body(resource)), ...(naming !== undefined && { [naming]: of }) };
  };
  const send = (all: readonly Fields[]) =>
    model.send(about, { at: own, body: name === '' ? all : { ...(valid as Fields), [name]: all } });
  const several = async () => {
    const all: Fields[] = [];
    while (all.length < many) all.push(await itemBody());
    return all;
  };
  let sent = await several();
  let response = await send(sent);
  if (response.status === 409) {
    model.run.freedoms.set(resource.path, rising);
    response = await send((sent = await several()));
  }
  if (!isSuccess(response)) refusedWith('several items that the server accepts', response);
  const shown = identifiedIn(parsed(response.text), resource);
  const { parameter } = resource;
  const absent: Fields[] = [];
  for (const fields of sent) {
    const same = shown.filter((each) => isShownAs(resource, fields, each));
    const [id, other] = new Set(same.map((each) => identifierIn(each, resource)));
    if (other !== undefined || model.live.some((each) => each.id === id))
      unmet('missing: fields in the response that tell what was created apart');
    if (id === undefined) absent.push(fields);
    else model.items.push(model.keep(itemOf(id, fields, response)));
  }
  if (absent.length === many) unmet('missing: what was created, in the response');
  await model.expectAll('several were created');
  // Whether the server has a reason to leave an item out is seen by creating it alone.
  for (const fields of absent)
    if ((await model.tryCreate(resource, fields, { at: own })).item)
      fail(`${many - absent.length} of ${many} items are created, and the others are accepted alone`, response);
  await checkTwice();
  if (naming !== undefined) await checkOwners(resource.parent as Resource);

  /** What conflicts one by one conflicts in one request, too. */
  async function checkTwice(): Promise<void> {
    const [equal, once] = [await itemBody(), await itemBody()];
    await model.tryCreate(resource, once, { at: own });
    if ((await model.tryCreate(resource, once, { at: own })).response.status !== 409) return;
    const twice = await send([equal, equal]);
    const all = isSuccess(twice) ? identifiedIn(parsed(twice.text), resource) : [];
    const created = new Set(
      all.filter((each) => isShownAs(resource, equal, each)).map((each) => identifierIn(each, resource)),
    );
    if (created.size > 1) fail('two equal items are created at once, and one after the other conflict', twice);
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

/** The field of a body that names several items to change, as in `{ "ids": [...], "priority": "high" }`. */
export function idsIn(about: Baseline, resource: Resource, { resources }: Resources): string | undefined {
  const { operation, payload } = about;
  const collection = resource.path.replace(/\/\{[^{}/]+\}$/, '');
  const rest = operation.path.startsWith(`${collection}/`) ? operation.path.slice(collection.length) : '{';
  const fields = Object.entries(fieldsOf(payload?.schema));
  const isCreation = resources.some(({ create }) => create === about);
  const isChange = fields.some(([name]) => entityFields(resource)[name]);
  if (!/^(post|patch|put)$/.test(operation.method) || rest.includes('{') || isCreation || !isChange) return undefined;
  const isOfIds = ([name, { type, items }]: [string, Schema]) =>
    type === 'array' &&
    items?.properties === undefined &&
    (name === 'ids' || refersTo(resource, name, fieldsOf(payload?.schema)[name]));
  return fields.find(isOfIds)?.[0];
}

/** Lists of a response with what was not changed. */
const failing = /fail|error|reject|skip|invalid|missing|unknown|notfound|conflict|unchanged|denied|refused/;

/** Of several items, each is changed unless the response says that it is not, and no others are. */
export async function checkBulkChanged(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { operationId } = about.operation;
  const naming = idsIn(about, resource, model.run) ?? '';
  const { schema, valid, faultsOf } = about.payload as SchemaBody;
  const fields = fieldsOf(schema);
  const given = await bodyNamingItems(model, resource, about.payload);
  const names = Object.keys(isObject(valid) ? valid : {}).filter((name) => entityFields(resource)[name]);
  if (names.length === 0) unmet('missing: an example with a field to change');
  const untouched = await model.add(resource);
  const items = [await model.create(resource), await model.create(resource), await model.create(resource)];
  const idOf = (id: string) => typed(fields[naming]?.items?.type === 'string' ? '' : 0, id);

  /** Changes items to values that none of them has. */
  const change = async (some: readonly Item[]) => {
    const before = await Promise.all(some.map(async (item) => (await model.find(item)).entity));
    const isNew = (name: string, value: unknown) => !before.some((entity) => isKept(value, entity?.[name]));
    const changes = Object.fromEntries(
      names.map((name) => {
        const others = [1, 2, 3, 4, 5].map((n) => distinct(fields[name] ?? {}, n, model.run.tag, given[name]));
        return [name, [given[name], ...others].find((value) => isNew(name, value)) ?? given[name]];
      }),
    );
    const body = { ...given, ...changes, [naming]: some.map(({ id }) => idOf(id)) };
    if (faultsOf(body).length > 0) unmet('missing: a body that names several items');
    const response = await model.send(about, { body });
    if (response.status >= 500) fail(`a valid request gets ${response.status}`, response);
    return { response, changes };
  };

  const { response, changes } = await change(items);
  if (!isSuccess(response)) refusedWith('several items that can be changed', response);
  const came = parsed(response.text);
  const lists = Object.entries(isObject(came) ? came : {}).filter(([name]) => failing.test(plainName(name)));
  for (const item of items) {
    const { entity = {}, response: read } = await model.find(item);
    const lost = names.find((name) => name in entity && !isKept(changes[name], entity[name]));
    const hasFailed = JSON.stringify(lists).includes(JSON.stringify(idOf(item.id)));
    if (lost !== undefined && !hasFailed)
      fail(`${lost} of ${item.id} is ${told(entity[lost])} after ${operationId} to ${told(changes[lost])}`, read);
  }
  await model.expectRead(untouched, `${operationId} of others`);
  const foreign = isPrivate(resource.create) ? await createdByOther(model, resource) : undefined;
  if (!foreign) return;
  const { entity: before } = await model.find(foreign);
  await change([...items.slice(0, 1), foreign]);
  const { entity: after, response: read } = await model.find(foreign);
  if (!isDeepStrictEqual(before, after)) fail(`what another tenant made is changed by ${operationId}`, read);
}
