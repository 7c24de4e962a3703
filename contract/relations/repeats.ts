/** Relations of what is created twice: with the same key it is one item, and what must be unique conflicts. */
import { isDeepStrictEqual } from 'node:util';
import type { Baseline } from '../plan/baseline.ts';
import { watchReads } from './acting/refusals.ts';
import type { Client } from './client.ts';
import { type Caller, fail, identified, type Item, unmet } from './exchange.ts';
import type { Resource } from './resources.ts';
import { type Fields, isKey, pick, plainName } from './values.ts';
import type { Parameter } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';

/** Where a creation has a key that makes it repeatable. */
function keyIn({ operation, payload }: Baseline) {
  // In a header, the identifier of a request is for logs.
  const isIdentifier = (name: string) => plainName(name) === 'requestid';
  const isKeyOf = ({ name, in: place }: Parameter) => isKey(name) || (place === 'query' && isIdentifier(name));
  const parameter = operation.parameters.find((each) => each.in !== 'path' && isKeyOf(each));
  const fields = Object.keys(fieldsOf(payload?.schema));
  const name = parameter?.name ?? fields.find((each) => isKey(each) || isIdentifier(each));
  return name === undefined ? undefined : { name, place: parameter?.in ?? ('body' as const) };
}

/** Whether a creation has a key that makes it repeatable. */
export function hasKey(create: Baseline): boolean {
  return keyIn(create) !== undefined;
}

async function createWithKey(client: Client, resource: Resource) {
  await client.create(resource);
  const { name, place } = keyIn(resource.create as Baseline) ?? unmet('missing: a key');
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
  return { own: own ?? unmet('missing: a key that the server accepts'), key, sent, create };
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
  const { own, key, sent, create } = await createWithKey(client, resource);
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
  if (changed && changed.id !== own.id) fail('the repeated key is accepted with another body', response);
}

const mostRounds = 3;

/** If the next of two equal items conflicts, one of two at the same time does so too, and an update to what there is. */
export async function checkConflict(client: Client, resource: Resource): Promise<void> {
  await client.create(resource);
  const { change, replace } = resource;
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
    if (isFirst) for (const update of updates) await checkUpdate(first.item, update as Baseline);
  }
  if (!isDecided)
    unmet('missing: two equal items that conflict; the document does not say in its schemas what else conflicts');

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
