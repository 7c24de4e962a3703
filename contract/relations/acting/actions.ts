/** Relations of what acts on one item beside its own operations, as `/orders/{id}/pay`. */
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../../document/model.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { parsed, told } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { HttpResponse } from '../../run/model.ts';
import { isPrivate } from '../access.ts';
import { fail, isSuccess, type Item, refusedWith, typed, unmet } from '../exchange.ts';
import { entityFields, entityIn, identifierIn } from '../identity.ts';
import type { Model } from '../model.ts';
import type { Resource } from '../resources.ts';
import { addBelow, addThree, createdByOther } from '../state.ts';
import { actionsOf, type Step, stepsOf } from '../steps.ts';
import { type Freedom, isKept } from '../values.ts';
import { bodyNamingItems, variantsOf } from './changes.ts';

/** Whether a value is a time, which may move on: whether there is one does not. */
function isTime({ format }: Schema, value: unknown): boolean {
  return format === 'date-time' && value !== null && value !== undefined;
}

/** What a response to an action shows of an item is what is read of it, and no other item changes. */
export async function checkActed(model: Model, resource: Resource, action: Baseline): Promise<void> {
  const { operation, payload } = action;
  const { operationId } = operation;
  const { remove } = resource;
  const act = (body: unknown, at: Item['at']) => model.send(action, { at, ...(payload && { body }) });
  const valid = await bodyNamingItems(model, resource, payload);
  const others = actionsOf(resource, model.run).filter((each) => each !== action);
  // What restores an item acts on one that was removed.
  const steps = [...stepsOf(resource, others), ...(remove ? [{ by: remove, body: undefined }] : [])];
  let freedom: Freedom | undefined;
  let before: Step | undefined;
  let last: HttpResponse | undefined;
  let isOwner = false;
  const another = async () => {
    let item: Item | undefined;
    for (const each of [freedom, freedom, undefined]) {
      const made = await model.tryCreate(resource, await model.body(resource, undefined, each));
      if ((item = made.item)) break;
      // What it refers to may have one already.
      if (made.response.status === 409) model.forgetReferences(resource);
    }
    // What belongs to it goes with a removal.
    if (item && isOwner && (!before || before.by !== remove)) await addBelow(model, item);
    if (item && before) await model.send(before.by, { at: item.at, body: before.body });
    return item;
  };
  await checkForeignNamed(model, resource, action);
  const three = await addThree(model, resource);
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
  if ((await hasActedOn(three)) || (await trySteps()) || (await tryWithMore())) return;
  if (last && isSuccess(last)) unmet('missing: an action on the item itself, as its response shows another one');
  refusedWith('a state and a body in which it succeeds', last);

  async function hasActedOn(item: Item): Promise<boolean> {
    for (const body of [valid, ...variantsOf(action, valid)]) {
      const seen = await model.find(item);
      const response = await act(body, item.at);
      if (response.status >= 500) fail(`a valid request gets ${response.status}`, response);
      last = response;
      if (!isSuccess(response)) continue;
      const shown = response.text === '' ? {} : entityIn(parsed(response.text), resource);
      // What has an identifier of its own is another item, though it may name this one.
      const { id: own = item.id } = shown ?? {};
      const isNamed = model.items.some((each) => each.resource.path === resource.path && each.id === own);
      if (isNamed && own !== item.id) return true;
      if (!shown) continue;
      const { entity, response: read } = await model.find(item);
      const isOther = response.text !== '' && (identifierIn(shown, resource) !== item.id || String(own) !== item.id);
      if (isOther && isDeepStrictEqual(entity, seen.entity)) continue;
      const { etag } = seen.response.headers;
      if (etag?.startsWith('"') === true && etag === read.headers['etag'] && !isDeepStrictEqual(entity, seen.entity))
        fail(`the ETag is still ${etag} after ${operationId}`, read);
      const types = entityFields(resource);
      const name = Object.keys(isOther ? {} : shown).find(
        (each) => types[each] && !isTime(types[each], entity?.[each]) && !isKept(shown[each], entity?.[each]),
      );
      if (name !== undefined)
        fail(
          `${name} is ${told(entity?.[name])} after ${operationId}, which has responded with ${told(shown[name])}`,
          read,
        );
      if (before && before.by === remove) await model.expectRead(item, operationId);
      await model.expectOthers(item, `${operationId} of another`);
      await checkActedOnce(body, item.at);
      return true;
    }
    return false;
  }

  /** What is possible once is not possible twice at the same time. */
  async function checkActedOnce(body: unknown, at: Item['at']): Promise<void> {
    const again = operation.responses['409'] ? await act(body, at) : undefined;
    for (let round = 0; round < 3 && again?.status === 409; round += 1) {
      const { at: other } = (await another()) ?? unmet('missing: another item to act on');
      const [first, second] = (await Promise.all([act(body, other), act(body, other)])).filter(isSuccess);
      // One of what it refers to may be acted on already.
      if (!first) model.forgetReferences(resource);
      if (first && second) fail('two at the same time succeed, and the second of two in turn gets 409', second);
    }
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
