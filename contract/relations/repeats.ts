/** Relations of what is created twice: with the same key it is one item, and what must be unique conflicts. */
import { isPrivate, ofTenant } from './access.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Baseline } from '../plan/baseline.ts';
import { UnmetPreconditionError } from '../run/errors.ts';
import { watchReads } from './acting/refusals.ts';
import type { Client } from './client.ts';
import { type Caller, fail, identified, isSuccess, type Item, unmet } from './exchange.ts';
import { isBelowParent, type Resource } from './resources.ts';
import { type Fields, isKey, ofAnyCase, pick, plainName } from './values.ts';
import type { Schema } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { sentencesOf } from './said.ts';

/** Says of the identifier of a request that it makes a creation repeatable: it may be for logs alone. */
const repeating = /\b(same id|repeat|retr(y|ies)|idempoten|nothing is created|again)/i;

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
    const isFirst = !isDecided;
    isDecided = true;
    if (second && ((await conflictsInTurn()) || (await conflictsInTurn())))
      fail('two equal items at the same time are both created, and one after the other conflict', second.response);
    if (isFirst) {
      for (const update of updates) await checkUpdate(first.item, update as Baseline);
      await checkOtherCase(body);
      await checkOtherOwner(body);
      await checkOtherTenant(body);
    }
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

  /** Another owner may have what is unique within one. */
  async function checkOtherOwner(body: Fields): Promise<void> {
    const { parent } = resource;
    const fields = Object.values(fieldsOf(resource.create?.payload?.schema)).map(({ description }) =>
      String(description),
    );
    const within = parent && new RegExp(`\\b(within|in|per|of) (a|an|the|its|each|one) ${parent.name}\\b`, 'i');
    const said = sentencesOf(operation.description, ...fields).filter((each) => unique.test(each));
    if (!parent?.create || !isBelowParent(resource) || !said.some((each) => within?.test(each))) return;
    const { response } = await client.tryCreate(resource, body, { at: (await client.create(parent)).at });
    if (response.status === 409) fail(`what another ${parent.name} has is refused as taken`, response);
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
