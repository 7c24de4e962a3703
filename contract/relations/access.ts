/** Relations of who may see and do what: tenants, also in what bodies refer to, and readers. */
import { isObject, parsed, told } from '../oracle/json.ts';
import { fieldsOf } from '../document/schemas.ts';
import { isMocked } from '../oracle/response.ts';
import { isSafe } from '../oracle/request.ts';
import type { Baseline } from '../plan/baseline.ts';
import type { OtherCaller } from '../dimensions/credential-scheme.ts';
import { textsOfParameter } from '../oracle/parameters.ts';
import type { HttpResponse } from '../run/model.ts';
import { readyFor } from './acting/changes.ts';
import type { Client } from './client.ts';
import type { Model } from './model.ts';
import { createdByOther } from './state.ts';
import {
  fail,
  identified,
  isSuccess,
  type Item,
  type Query,
  type Sending,
  together,
  typed,
  unmet,
} from './exchange.ts';
import { createsByPut, ownerOf, type Resource } from './resources.ts';
import { wordsIn } from './listing/filters.ts';
import { searchNames } from './listing/query-roles.ts';
import { type Fields, listedItems, plainName, valueAt } from './values.ts';
import type { Parameter } from '../document/model.ts';
import { entityIn } from './identity.ts';

/** Says that others see it, too. */
const shared =
  /\b(shared|public|everyone|anyone|all (users|callers|tenants|members|customers)|any (user|caller|tenant))\b/i;
/** Says that a list is that of one tenant. */
const ofTenant =
  /\b(in|within|per|of|for) (the|an?|one|each|its|your) (organi[sz]ation|tenant|account|workspace|company|customer|team)\b/i;
/** The most filters with which another tenant looks for an item. */
const mostFilters = 6;

/** Whether an operation is that of one tenant, as far as its document says. */
export function isPrivate(baseline: Baseline | undefined): baseline is Baseline {
  const { summary = '', description = '' } = baseline?.operation ?? {};
  return baseline?.isPublic === false && !shared.test(`${summary} ${description}`);
}

/** A valid body of an update of an item. */
export async function bodyFor(client: Client, item: Item, baseline: Baseline) {
  const freedom = baseline === item.resource.change ? 'any field' : undefined;
  return baseline.payload && identified(await client.body(item.resource, baseline, freedom), item);
}

/** The resource to whose items an operation belongs, if one tenant can create them. */
export function privateOwner(baseline: Baseline, resources: readonly Resource[]): Resource | undefined {
  const created = resources.filter(({ create }) => isPrivate(create) && create !== baseline);
  const listed = resources.find(({ list }) => list === baseline);
  const owner = listed ?? ownerOf(baseline.operation.path, created);
  return isPrivate(baseline) && owner && created.includes(owner) ? owner : undefined;
}

function queriesFor({ query }: Resource, entity: Fields): Query[] {
  const found = (query?.filters ?? []).flatMap(({ key, field = '' }) => {
    const [value] = [valueAt(entity, field)].flat();
    const isKnown = ['string', 'number', 'boolean'].includes(typeof value);
    return isKnown ? [{ [key]: String(value) }] : [];
  });
  return found.slice(0, mostFilters);
}

/** The parameter of a list that looks for words. */
function searchOf({ operation: { parameters } }: Baseline) {
  return parameters.find(({ in: place, name }) => place === 'query' && searchNames.test(plainName(name)));
}

/** What one tenant made, another can neither find in lists, nor read, nor change. */
export async function checkForeign(client: Client, resource: Resource, about: Baseline): Promise<void> {
  const upload = client.run.uploads.find(({ read, write }) => about === read || about === write);
  const item = await client.create(resource);
  // What is not there cannot be seen.
  if (upload && upload.resource !== resource) await client.send(upload.write, { at: item.at });
  // Each kind of credential has owners of its own.
  for (const schemes of client.alternativesOf('other', about)) {
    const response = await refusedTo(client, 'other', item, about, { schemes });
    if (about === resource.list && isSuccess(response)) {
      const { entity = {} } = await client.find(item);
      const search = searchOf(about);
      const words = (search ? wordsIn([item]).slice(0, 1) : []).map((word) => ({ [search?.name ?? '']: word }));
      for (const query of [{}, ...words, ...queriesFor(resource, entity)]) {
        const asked = { at: item.at, caller: 'other', query, schemes } as const;
        if (!isSuccess(await client.send(about, asked))) continue;
        const { ids, last } = await client.listAll(resource, asked);
        if (ids.includes(item.id)) fail(`another tenant finds ${item.id} in the list`, last);
      }
    }
    // Of a name that each tenant chooses, the other one may have made its own.
    else if (createsByPut(about) && response.status === 201) client.items.push({ ...item, caller: 'other' });
    else await expectRefused(client, response, about, item);
  }
}

/** What a search, or another list of several kinds of items, shows of one tenant, it does not show another. */
export async function checkUnseen(client: Client, about: Baseline): Promise<void> {
  const { resources } = client.run;
  const search = searchOf(about);
  let isShown = await checkUnshared(client, about);
  for (const resource of resources.filter(({ create }) => isPrivate(create))) {
    const { item } = await client.tryCreate(resource, await client.body(resource));
    if (!item) continue;
    const [word = ''] = wordsIn([item]);
    const query = search ? { [search.name]: word } : {};
    // A short number may be that of something else.
    const mark = /^\d{1,11}$/.test(item.id) ? word : item.id;
    const shows = (response: HttpResponse) =>
      isSuccess(response) && JSON.stringify(listedItems(parsed(response.text)) ?? []).includes(mark);
    if (mark === '' || (search && word === '') || !shows(await client.send(about, { query }))) continue;
    isShown = true;
    const response = await client.send(about, { query, caller: 'other' });
    if (shows(response)) fail(`another tenant finds ${item.id}`, response);
  }
  if (!isShown) unmet('missing: a response that shows what was created');
}

/** A list that is said to be that of a tenant has no item of that of another. @returns whether both have items */
async function checkUnshared(client: Client, about: Baseline): Promise<boolean> {
  const { summary, description } = about.operation;
  if (!ofTenant.test(`${summary} ${description}`)) return false;
  const own = await client.send(about);
  const other = await client.send(about, { caller: 'other' });
  const [ids, others] = [own, other].map(({ text }) => (listedItems(parsed(text)) ?? []).flatMap(({ id }) => id ?? []));
  const shared = ids?.find((id) => others?.includes(id));
  if (shared !== undefined) fail(`another tenant finds ${told(shared)}`, other);
  return ids?.[0] !== undefined && others?.[0] !== undefined;
}

/** Who may only read may read what is not said to be refused. */
export async function checkReader(client: Client, about: Baseline): Promise<void> {
  const at = await client.locate(about.operation.path);
  if (!isSuccess(await client.send(about, { at }))) unmet('missing: a read that succeeds');
  const response = await client.send(about, { at, caller: 'lesser' });
  if (response.status === 403) fail('who may only read is refused to read', response);
}

/** Says that a refusal is due to who asks, and not to what is asked for. */
const ofRole =
  /\b(only|admins?|administrators?|owners?|managers?|roles?|scopes?|permissions?|privileges?|rights?|access|caller|forbidden|(not|n't) allowed|authori[sz]ed|insufficient)\b/i;

/** Whether a document says that an operation is not for those who may only read: by its scopes, if reading has some. */
export function isNotForReaders({ operation }: Baseline, baselines: readonly Baseline[]): boolean {
  const { method, scopes, responses, summary, description } = operation;
  const reads = baselines.filter((each) => isSafe(each.operation.method)).flatMap((each) => each.operation.scopes);
  const isOfReaders = scopes.length > 0 && scopes.every((each) => reads.includes(each));
  // Where everybody may do something, a 403 may be due to what is asked for.
  const isOpen = baselines.some(
    (each) => !each.isPublic && !isSafe(each.operation.method) && !each.operation.responses['403'],
  );
  const said = [summary, description, responses['403']?.description ?? ''].join(' ').replaceAll(/`[^`]*`/g, '');
  return responses['403'] !== undefined && !isSafe(method) && !isOfReaders && (!isOpen || ofRole.test(said));
}

/** Who may only read, changes nothing. */
export async function checkLesser(client: Client, about: Baseline): Promise<void> {
  const { resources } = client.run;
  const others = resources.filter(({ create }) => create && create !== about);
  const owner = ownerOf(about.operation.path, others);
  const created = resources.find(({ create }) => create === about);
  const body = created && (await client.body(created));
  const isOther = !created && ![owner?.change, owner?.replace, owner?.remove].includes(about);
  const mayConflict = isOther && about.operation.responses['409'] !== undefined;
  const ready = owner && mayConflict ? await readyFor(client, owner, about) : undefined;
  await together(client.alternativesOf('lesser', about), async (schemes) => {
    const item = ready ?? (owner && (await client.create(owner)));
    await expectRefused(client, await refusedTo(client, 'lesser', item, about, { body, schemes }), about, item);
  });
}

/** The response to somebody else than has made an item, if there is one. */
async function refusedTo(
  client: Client,
  caller: OtherCaller,
  item: Item | undefined,
  about: Baseline,
  given: Pick<Sending, 'body' | 'schemes'> = {},
) {
  const isUpdate = item && [item.resource.change, item.resource.replace].includes(about);
  const body = isUpdate ? await bodyFor(client, item, about) : given.body;
  const response = await client.send(about, { ...given, ...(item && { at: item.at }), caller, body });
  if (isMocked(response)) unmet('the mock accepts any credential');
  if (response.status === 401) unmet(`missing: ${caller}-security that the server accepts`);
  return response;
}

/** @throws {Error} if a request of somebody else succeeds, or has changed an item */
async function expectRefused(client: Client, response: HttpResponse, about: Baseline, item: Item | undefined) {
  if (isSuccess(response) || response.status >= 500)
    fail(`expected somebody else to be refused, got ${response.status}`, response);
  if (item && !isSafe(about.operation.method) && (item.resource.read ?? item.resource.list))
    await client.expectRead(item, 'somebody else tried to change it');
}

/** The parameter of a read that shows items in place of their identifiers. */
export function expandingOf({ operation }: Baseline): Parameter | undefined {
  return operation.parameters.find(
    ({ in: place, name, schema }) =>
      place === 'query' && /^(expand|include|embed)$/.test(plainName(name)) && schema.items?.enum !== undefined,
  );
}

/** A field that names another item shows it if that is asked for. */
export async function checkExpanded(client: Client, resource: Resource, read: Baseline): Promise<void> {
  const parameter = expandingOf(read) as Parameter;
  const { at } = await client.create(resource);
  const entityWith = async (query: Query) => {
    const response = await client.send(read, { at, query });
    return { response, entity: entityIn(parsed(response.text), resource) ?? {} };
  };
  const { entity: plain } = await entityWith({});
  const isName = (field: string) => ['string', 'number'].includes(typeof plain[field]);
  const named = (parameter.schema.items?.enum ?? []).map(String).filter(isName);
  if (named.length === 0) unmet('missing: an item that names another one');
  for (const field of named) {
    const { entity, response } = await entityWith({ [parameter.name]: textsOfParameter(parameter, [field]) ?? field });
    if (isSuccess(response) && !isObject(entity[field]))
      fail(`${field} is ${told(entity[field])} with ${parameter.name}=${field}`, response);
  }
}

/**
 * A server need not look at what a body refers to, unless only that can get its 404; one that looks whether it is there must look
 * whose it is.
 */
export async function checkReferring(model: Model, resource: Resource, about: Baseline): Promise<void> {
  const { payload, operation } = about;
  const isPromised = operation.responses['404'] !== undefined && !operation.path.includes('{');
  const { at } = await model.create(resource);
  const isCreation = about === resource.create;
  const fields = fieldsOf(payload?.schema);
  const texts = Object.keys(fields).filter((name) => fields[name]?.type === 'string');
  const body = isCreation ? await model.body(resource) : {};
  const all = { ...Object.fromEntries(texts.map((name) => [name, ''])), ...body };
  const isAccepted = async (name: string, id: string) => {
    const named = { ...body, [name]: typed(all[name], id) };
    if (payload?.faultsOf(named).length !== 0) return undefined;
    const { item, response } = isCreation
      ? await model.tryCreate(resource, named)
      : { item: undefined, response: await model.send(about, { at, body: named }) };
    if (response.status >= 500) fail(`a body that refers to nothing gets ${response.status}`, response);
    return (isCreation ? item !== undefined : isSuccess(response)) ? response : false;
  };
  for (const [name, other] of model.referencesIn(all, resource, { isNaming: true, fields })) {
    const unknown = await isAccepted(name, model.chosenId(other.parameter.schema));
    if (unknown && isPromised) fail(`${name}, which refers to nothing, is accepted`, unknown);
    if (unknown !== false || !isPrivate(other.create)) continue;
    const foreign = await createdByOther(model, other);
    const response = foreign && (await isAccepted(name, foreign.id));
    if (response) fail(`${name}, which names what another tenant made, is accepted`, response);
  }
}
