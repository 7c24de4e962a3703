/** Relations of who may do what: tenants, readers, idempotency keys, and what conflicts. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, parsed, told } from '../oracle/json.ts';
import { isMocked } from '../oracle/response.ts';
import { isSafe } from '../oracle/request.ts';
import type { Baseline } from '../plan/baseline.ts';
import { type CredentialScheme, credentialSchemes, type OtherCaller } from '../dimensions/credential-scheme.ts';
import { pathTextOf, textsOfParameter } from '../oracle/parameters.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import type { HttpResponse } from '../run/model.ts';
import { readyFor } from './acting/changes.ts';
import { watchReads } from './acting/refusals.ts';
import type { Client } from './client.ts';
import {
  type Caller,
  fail,
  identified,
  isSuccess,
  type Item,
  type Query,
  type Run,
  type Sending,
  together,
  unmet,
} from './exchange.ts';
import { createsByPut, entityIn, ownerOf, type Resource } from './resources.ts';
import { wordsIn } from './listing/filters.ts';
import { searchNames } from './listing/query-roles.ts';
import { type Fields, isKey, listedItems, ofAnyCase, pick, plainName, valueAt } from './values.ts';
import type { Parameter, Schema } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { sentencesOf } from './said.ts';

/** Says that others see it, too. */
const shared =
  /\b(shared|public|everyone|anyone|all (users|callers|tenants|members|customers)|any (user|caller|tenant))\b/i;
/** The most filters with which another tenant looks for an item. */
const mostFilters = 6;
/** Says of the identifier of a request that it makes a creation repeatable: it may be for logs alone. */
const repeating = /\b(same id|repeat|retr(y|ies)|idempoten|nothing is created|again)/i;

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

/** As in "Customers see only public comments", or "Students do not see drafts". */
const seeing =
  /\b(\w+)s (?:can )?(?:(see only|only see)|(?:do not|don't|cannot|never) see)(?: the)? `?(\w+?)(?:s|`)?\b/i;

/** What one kind of caller does not see of a list, by the value of a field. */
export interface Unseen {
  readonly scheme: CredentialScheme;
  readonly field: string;
  /** The value that is seen alone, or not at all. */
  readonly value: unknown;
  readonly isAlone: boolean;
}

export function unseenIn({ list, listed }: Resource, { document }: Pick<Run, 'document'>): Unseen | undefined {
  const { summary = '', description = '', security = [] } = list?.operation ?? {};
  const [, who = '', alone, what = ''] = seeing.exec(`${summary}. ${description}`.replaceAll(/\s+/g, ' ')) ?? [];
  const isAccepted = ({ name }: CredentialScheme) => security.some((names) => names.length === 1 && names[0] === name);
  const isOf = (each: CredentialScheme) => isAccepted(each) && each.name.toLowerCase().includes(who.toLowerCase());
  const scheme = who === '' ? undefined : credentialSchemes(document).find(isOf);
  for (const [field, { enum: values = [], type }] of scheme ? Object.entries(fieldsOf(listed)) : []) {
    const value = type === 'boolean' && plainName(field) === what ? true : values.find((each) => each === what);
    if (value !== undefined && scheme) return { scheme, field, value, isAlone: alone !== undefined };
  }
  return undefined;
}

/** A kind of caller does not see what it is said not to see, where the tester or the suite has created both. */
export async function checkUnseenBy(client: Client, resource: Resource, { scheme, field, value, isAlone }: Unseen) {
  const { list, create } = resource as Resource & { list: Baseline };
  const inPath = list.operation.parameters.filter((each) => each.in === 'path');
  const given = Object.fromEntries(inPath.map((each) => [each.name, pathTextOf(each, each.value) ?? '']));
  const isGiven = inPath.length > 0 && inPath.every((each) => each.value !== undefined);
  const at = isGiven ? given : await client.locate(list.operation.path, 'own', resource);
  for (const each of create ? [value, typeof value === 'boolean' ? !value : undefined] : [])
    await client.tryCreate(
      resource,
      { ...(await client.body(resource)), ...(each !== undefined && { [field]: each }) },
      { at },
    );
  const { items } = await client.listAll(resource, { at });
  const isWrong = (item: Fields) => (item[field] === value) !== isAlone;
  if (!items.some(isWrong)) unmet(`missing: what the credential of ${scheme.name} does not see`);
  const { items: seen, last } = await client.listAll(resource, { at, schemes: [scheme] });
  const wrong = seen.find(isWrong);
  if (wrong) fail(`${scheme.name} sees an item whose ${field} is ${told(wrong[field])}`, last);
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

/** Where a creation has a key that makes it repeatable, and what is said of it. */
function keyIn({ operation, payload }: Baseline) {
  const isOne = (name: string, description: string) =>
    isKey(name) || (/^x?requestid$/.test(plainName(name)) && repeating.test(description));
  const parameter = operation.parameters.find((each) => isOne(each.name, each.description) && each.in !== 'path');
  const fields: [string, Schema & { description?: string }][] = Object.entries(fieldsOf(payload?.schema));
  const [field] = fields.find(([name, { description = '' }]) => isOne(name, description)) ?? [];
  const name = parameter?.name ?? field;
  const description = `${parameter?.description ?? ''} ${operation.description}`;
  return name === undefined ? undefined : { name, description, place: parameter?.in ?? ('body' as const) };
}

/** Whether a creation has a key that makes it repeatable. */
export function hasKey(create: Baseline): boolean {
  return keyIn(create) !== undefined;
}

async function createWithKey(client: Client, resource: Resource) {
  await client.create(resource);
  const { name, description, place } = keyIn(resource.create as Baseline) ?? unmet('missing: a key');
  /** Creates an item with a key. */
  const create = (key: string, body: Fields, caller: Caller = 'own') => {
    if (place === 'body') return client.tryCreate(resource, { ...body, [name]: key }, { caller });
    return client.tryCreate(resource, body, {
      caller,
      ...(place === 'query' ? { query: { [name]: key } } : { headers: [[name, key]] }),
    });
  };
  const [key, sent] = [crypto.randomUUID(), await client.body(resource)];
  const { item: own } = await create(key, sent);
  return { own: own ?? unmet('missing: a key that the server accepts'), key, sent, create, description };
}

export async function checkForeignKey(client: Client, resource: Resource): Promise<void> {
  const { own, key, sent, create } = await createWithKey(client, resource);
  const foreign = (await client.withReferences(sent, resource, 'other')) as Fields;
  const { item, response } = await create(key, foreign, 'other');
  if (!item) await client.create(resource, { caller: 'other' });
  if (!item) fail(`the key of another tenant is refused with ${response.status}`, response);
  if (item.id === own.id) fail(`the key of one tenant gives another the same ${own.id}`, response);
}

export async function checkRepeatedKey(client: Client, resource: Resource): Promise<void> {
  const { own, key, sent, create, description } = await createWithKey(client, resource);
  const repeat = () => create(key, sent);
  const expectSame = await watchReads(client, own.at);
  for (const { item, response } of [await repeat(), ...(await Promise.all([repeat(), repeat()]))])
    if (item && item.id !== own.id) fail(`the repeated key has created ${item.id} beside ${own.id}`, response);
  const racing = crypto.randomUUID();
  await expectSame('a key was repeated');
  const fresh = await client.body(resource);
  const race = () => create(racing, fresh);
  const [one, two] = (await Promise.all([race(), race()])).filter(({ item }) => item);
  if (one && two && one.item?.id !== two.item?.id)
    fail('two requests with one key at the same time create two items', two.response);
  const { own: other } = await createWithKey(client, resource);
  if (other.id === own.id) fail(`another key gives the same ${other.id}`, other.response);
  const another = await client.body(resource);
  if (isDeepStrictEqual(another, sent)) return;
  const { item: changed, response } = await create(key, another);
  const { 409: conflict, 422: invalid } = (resource.create as Baseline).operation.responses;
  const ofKey = [conflict, invalid].some((each) => /\bkey\b/i.test(each?.description ?? ''));
  const isRefused = ofKey || /\b(409|422|conflict|refus|reject|error)/i.test(description);
  if (changed && (isRefused || changed.id !== own.id)) fail('the repeated key is accepted with another body', response);
}

/** Says that a removal makes room for another, unless that takes time, or is denied. */
const freeing = /\b(frees?|releases?)\b/i;
const holding = /\b(not|never|no|cannot|after|within|eventually|until|later)\b|n't\b/i;
const mostRounds = 3;

/** Says that two items cannot have the same. */
const unique =
  /\bunique\b|\balready (exists|taken|used|in use|registered)\b|\bis (in use|taken)\b|(?<!\bat )\bonce\b|\bduplicate/i;

/** Says that what one tenant has does not conflict with what another has. */
const ofTenant =
  /\b(in|within|per|of|for) (the|an?|one|each|its|your) (organi[sz]ation|tenant|account|workspace|company|customer|team)\b/i;

/** If the next of two equal items conflicts, one of two at the same time does so too, until it is removed. */
export async function checkConflict(client: Client, resource: Resource): Promise<void> {
  await client.create(resource);
  const { create: { operation } = unmet(''), remove, change, replace } = resource;
  const removal = sentencesOf(remove?.operation.summary, remove?.operation.description);
  const isFreeing = removal.some((sentence) => freeing.test(sentence) && !holding.test(sentence));
  const updates = [change, replace].filter((each) => each !== resource.create && each?.operation.responses['409']);
  let isDecided = false;
  // Bodies of one alternative may conflict, and those of another not.
  for (let round = 0; round < mostRounds; round += 1) {
    const body = await client.body(resource);
    const create = () => client.tryCreate(resource, body);
    const [first, second] = (await Promise.all([create(), create()])).filter(({ item }) => item);
    if (!first?.item || (await create()).response.status !== 409) continue;
    isDecided = true;
    if (second && ((await conflictsInTurn()) || (await conflictsInTurn())))
      fail('two equal items at the same time are both created, and one after the other conflict', second.response);
    if (round === 0) for (const update of updates) await checkUpdate(first.item, update as Baseline);
    if (round === 0) await checkOtherCase(body);
    if (round === 0) await checkOtherTenant(body);
    if (second || !isFreeing || !isSuccess(await client.remove(first.item))) continue;
    const { response } = await create();
    if (response.status === 409) fail(`what was removed still conflicts with an equal item`, response);
  }
  if (isDecided) return;
  const sent = await client.body(resource);
  const said = sentencesOf(operation.description, operation.responses['409']?.description);
  const isNamed = (sentence: string) =>
    sentence.split(/\W+/).some((word) => Object.keys(sent).some((name) => plainName(name) === plainName(word)));
  if (!said.some((sentence) => unique.test(sentence) && isNamed(sentence)))
    unmet('missing: two equal items that conflict; other conflicts are checked where the document says their state');
  const [first, second] = [await client.tryCreate(resource, sent), await client.tryCreate(resource, sent)];
  if (first.item && second.item)
    fail('two equal items are created, and the document says that they conflict', second.response);

  /** A text that is said to be unique in any case conflicts in capitals, too. */
  async function checkOtherCase(body: Fields): Promise<void> {
    const { schema, faultsOf } = resource.create?.payload ?? {};
    for (const [name, { description }] of Object.entries(fieldsOf(schema))) {
      const other = { ...body, [name]: String(body[name]).toUpperCase() };
      const isUnique = typeof description === 'string' && [unique, ofAnyCase].every((said) => said.test(description));
      if (!isUnique || typeof body[name] !== 'string' || faultsOf?.(other).length !== 0) continue;
      const { item, response } = await client.tryCreate(resource, other);
      if (item) fail(`${name} is accepted in capitals, though it is said to be unique in any case`, response);
    }
  }

  /** Another tenant may have what is unique within one. */
  async function checkOtherTenant(body: Fields): Promise<void> {
    const fields = Object.values(fieldsOf(resource.create?.payload?.schema)).map(({ description }) =>
      String(description),
    );
    const isOfTenant = sentencesOf(operation.description, operation.responses['409']?.description, ...fields).some(
      (sentence) => ofTenant.test(sentence) && (unique.test(sentence) || /\bsame\b/i.test(sentence)),
    );
    if (!isOfTenant || !isPrivate(resource.create)) return;
    try {
      const foreign = (await client.withReferences(body, resource, 'other')) as Fields;
      const { response } = await client.tryCreate(resource, foreign, { caller: 'other' });
      if (response.status === 409) fail('what another tenant has is refused as taken', response);
    } catch (error) {
      // There may be no other tenant.
      if (!(error instanceof UnmetPreconditionError)) throw error;
    }
  }

  /** An item that differs from another in one field alone cannot be made equal to it. */
  async function checkUpdate({ fields, at }: Item, update: Baseline): Promise<void> {
    const others = await client.body(resource);
    for (const name of Object.keys(pick(fields, Object.keys(fieldsOf(update.payload?.schema))))) {
      const named = { [name]: others[name] };
      const isOfItem = !isDeepStrictEqual(identified(named, { resource, id: '' }), named);
      if (isDeepStrictEqual(fields[name], others[name]) || isOfItem) continue;
      const { item } = await client.tryCreate(resource, { ...fields, [name]: others[name] }, { at });
      const body = update === change ? { [name]: fields[name] } : fields;
      if (item && (await client.update(item, update, body)))
        fail(`an update of ${name} makes an item equal to another, and creating an equal one conflicts`, item.response);
    }
  }

  /** Whether the next 409 is about equal items, and not about their number. */
  async function conflictsInTurn(): Promise<boolean> {
    const body = await client.body(resource);
    const [one, other] = [await client.tryCreate(resource, body), await client.tryCreate(resource, body)];
    return one.item !== undefined && other.response.status === 409;
  }
}
