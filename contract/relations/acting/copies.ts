/** Relations of actions that make a copy of an item: it has what the description says that it has of its source, which stays as it is. */
import type { HttpResponse } from '../../run/model.ts';
import { isDeepStrictEqual } from 'node:util';
import { parsed, told } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { fail, isSuccess, type Item, refusedWith, typed } from '../exchange.ts';
import type { Model } from '../model.ts';
import { belowOf, type Resource, type Resources } from '../resources.ts';
import { actionsOf } from '../steps.ts';
import { type Fields, freedoms, isKept, mayBeNormalised, pick, variantOf } from '../values.ts';
import { pluralOrOne, sentencesOf } from '../said.ts';
import { entityFields, entityIn, identifierIn, placeOf } from '../identity.ts';

const copying = /\b(copy|copies|duplicat\w+|clon(e|es|ing))\b/i;
const negated = /\b(not|never|without|except)\b|n't\b/i;
const ofSource =
  /\bnames (?:its |the )?(?:source|original) in `(\w+)`|`(\w+)` (?:names|refers to|points to|is the (?:id|identifier) of)\b[^.]*\b(?:source|original)\b/i;

/** The actions that are said to make a copy. */
export function copiesOf(resource: Resource, run: Resources): Baseline[] {
  return actionsOf(resource, run).filter(({ operation: { operationId, summary, path, responses } }) => {
    const isCreation = responses['201'] !== undefined || responses['200'] !== undefined;
    return (
      isCreation &&
      copying.test(`${operationId} ${summary} ${path.split('/').at(-1)}`.replaceAll(/([a-z])([A-Z])/g, '$1 $2'))
    );
  });
}

export async function checkCopied(model: Model, resource: Resource, action: Baseline): Promise<void> {
  const { summary, description, operationId } = action.operation;
  const said = sentencesOf(summary, description.replaceAll(/\s+/g, ' '));
  const isSaid = (words: string, isNegated = false) =>
    said.some((text) => new RegExp(`\\b${words}\\b`, 'i').test(text) && negated.test(text) === isNegated);
  const source = await model.create(resource);
  const kinds = belowOf(resource, model.run).filter(({ create, list }) => create && list);
  const addThree = async (kind: Resource) => {
    for (let count = 0; count < 3; count += 1) {
      const { response } = await model.tryCreate(kind, await model.body(kind), { at: source.at });
      if (response.status === 409) return false;
    }
    return true;
  };
  for (const kind of kinds) {
    if (await addThree(kind)) continue;
    // The source must be in another state before.
    await model.createBelow(kind, resource).catch(() => undefined);
    await model.makeReady(source);
    await addThree(kind);
  }
  const { entity: before = {} } = await model.find(source);
  const { sent, copy } = await copied(model, source, action);
  const { entity: after = {}, response } = await model.find(copy);
  for (const [name, field] of Object.entries(resource.sent.properties)) {
    const isOwn = name in sent || mayBeNormalised(field) || !entityFields(resource)[name];
    if (!isOwn && isSaid(name.replaceAll('_', '[ _]')) && !isKept(before[name], after[name]))
      fail(`${name} is ${told(after[name])} after ${operationId} of ${told(before[name])}`, response);
  }
  const [, first, second] = ofSource.exec(said.join('. ')) ?? [];
  const naming = first ?? second ?? '';
  if (after[naming] !== undefined && after[naming] !== typed(after[naming], source.id))
    fail(`${naming} is ${told(after[naming])} after ${operationId} of ${source.id}`, response);
  for (const kind of kinds) {
    const shownOf = async (of: Item) => {
      const { items, last, complete } = await model.listAll(kind, { at: of.at });
      return { last, complete, fields: items.map((each) => pick(each, Object.keys(kind.sent.properties))) };
    };
    const [own, ofCopy] = [await shownOf(source), await shownOf(copy)];
    const words = pluralOrOne(kind.name);
    if (isSaid(words, true) && ofCopy.fields.length > 0) fail(`${kind.name} is copied by ${operationId}`, ofCopy.last);
    const isAlike = isDeepStrictEqual(inOrder(own.fields, said), inOrder(ofCopy.fields, said));
    if (own.complete && ofCopy.complete && isSaid(words) && !isAlike)
      fail(`what belongs to the copy differs from what belongs to its source`, ofCopy.last);
  }
  await model.expectRead(source, operationId);
}

/** Whether the order matters, the description says. */
function inOrder(all: readonly Fields[], said: readonly string[]): string[] {
  const texts = all.map((each) => JSON.stringify(each));
  return said.some((text) => /\border\b/i.test(text)) ? texts : texts.sort();
}

/** Makes a copy. @throws {UnmetPreconditionError} if the server makes none of any body */
async function copied(model: Model, source: Item, action: Baseline): Promise<{ sent: Fields; copy: Item }> {
  const { resource, at } = source;
  const { payload } = action;
  let last: HttpResponse | undefined;
  for (const [count, freedom] of freedoms.entries()) {
    const sent = payload
      ? variantOf(payload.schema, payload.valid, model.run.identifiers + count, model.run.tag, freedom)
      : {};
    const response = await model.send(action, { at, ...(payload && { body: sent }) });
    last = response;
    const entity = isSuccess(response) ? entityIn(parsed(response.text), resource) : undefined;
    const id = entity && identifierIn(entity, resource);
    if (id === undefined || id === source.id) continue;
    const place = { ...at, [resource.parameter.name]: placeOf(resource, id) };
    const copy = { ...source, id, at: place, fields: {}, response };
    model.items.push(copy);
    return { sent, copy };
  }
  return refusedWith('a copy with an identifier of its own', last);
}
