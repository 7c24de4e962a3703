/**
 * Numbers of an item that follow from what belongs to it, as a total of amounts. How a number follows is learnt while the first parts are
 * created; whatever is done to them afterwards, one of the explanations that were found must go on to hold.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema } from '../../document/model.ts';
import { fieldsOf } from '../../document/schemas.ts';
import type { HttpResponse } from '../../run/model.ts';
import { amountIn, fail, type Item, orNone, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import { belowOf, entityFields, type Resource, type Resources } from '../resources.ts';
import { names, wordOf } from '../said.ts';
import { actionsOf } from '../steps.ts';
import { isMoving } from '../values.ts';
import { bodyNamingItems, changesOf, variantsOf } from './changes.ts';

type Described = Schema & { readonly description?: string };

/** Creates something that belongs to an item, or names it. */
type Make = () => Promise<Item | undefined>;

/** What is seen of an item at a moment: its numbers, and of its parts, by their kind and state, how many they are and the sums of their amounts. */
interface Seen {
  readonly numbers: Readonly<Record<string, number>>;
  readonly sums: ReadonlyMap<Resource, ReadonlyMap<string, Readonly<Record<string, number>>>>;
  readonly response: HttpResponse;
}

/** A number grows, or falls, as the sum of an amount of the parts in some states does. */
interface Explanation {
  readonly number: string;
  readonly part: Resource;
  readonly amount: string;
  readonly states: readonly string[];
  readonly sign: 1 | -1;
}

const learned = 3;
/** More states have too many subsets. */
const mostStates = 6;
const mostTries = 4;
/** A server may bring a number up to date a moment later. */
const settlingMilliseconds = 500;
/** The amount of a part that is only counted. */
const one = 'number';

function isAmount(schema: Schema): boolean {
  return [schema, ...Object.values(fieldsOf(schema))].some(({ type }) => type === 'integer' || type === 'number');
}

/** The numbers of an item that no client writes. */
function numbersOf(resource: Resource): [name: string, schema: Described][] {
  const shown = Object.entries<Described>(entityFields(resource));
  return shown.filter(([name, schema]) => !resource.sent.properties[name] && isAmount(schema));
}

/** The lists of what belongs to an item. */
function partsOf({ path }: Resource, { resources }: Resources): Resource[] {
  return resources.filter(({ list, parent }) => parent?.path === path && list?.operation.path.startsWith(`${path}/`));
}

/** Whether an item may have numbers that follow from its parts. */
export function hasAggregates(resource: Resource, run: Resources): boolean {
  return resource.read !== undefined && numbersOf(resource).length > 0 && partsOf(resource, run).length > 0;
}

/** The field that has the state of a part, and its values. */
function stateOf({ listed }: Resource): [field: string, states: readonly string[]] {
  const fields = Object.entries(fieldsOf(listed));
  const [field, { enum: values = [] } = {}] = fields.find(([name, each]) => isMoving(name) && each.enum) ?? [];
  return field === undefined || values.length > mostStates ? ['', ['']] : [field, values.map(String)];
}

/** @returns undefined if a list is too long to be read whole */
async function look(model: Model, owner: Item): Promise<Seen | undefined> {
  const { entity = {}, response } = await model.find(owner);
  const numbers = Object.fromEntries(numbersOf(owner.resource).map(([name]) => [name, amountIn(entity[name])]));
  const sums = new Map<Resource, Map<string, Record<string, number>>>();
  for (const part of partsOf(owner.resource, model.run)) {
    const { items, complete } = await model.listAll(part, { at: owner.at });
    if (!complete) return undefined;
    const [field, states] = stateOf(part);
    const amounts = Object.entries(fieldsOf(part.listed)).flatMap(([name, each]) => (isAmount(each) ? [name] : []));
    const sumOf = (state: string) => {
      const inState = items.filter((each) => field === '' || String(each[field]) === state);
      const sum = (name: string) => inState.reduce((total, each) => total + (amountIn(each[name]) || 0), 0);
      return { ...Object.fromEntries(amounts.map((name) => [name, sum(name)])), [one]: inState.length };
    };
    sums.set(part, new Map(states.map((state) => [state, sumOf(state)])));
  }
  return { numbers, sums, response };
}

/** The number that is explained, if it was right before. */
function expectedOf({ number, part, amount, states, sign }: Explanation, before: Seen, now: Seen): number {
  const sumIn = ({ sums }: Seen) =>
    states.reduce((total, state) => total + (sums.get(part)?.get(state)?.[amount] ?? 0), 0);
  return (before.numbers[number] ?? NaN) + sign * (sumIn(now) - sumIn(before));
}

function isTrue(each: Explanation, before: Seen, now: Seen): boolean {
  return Math.abs((now.numbers[each.number] ?? NaN) - expectedOf(each, before, now)) < 0.005;
}

/** Says that a number never falls. */
const ever = /\b(ever|lifetime|all.time|so far|historical|since)\b/i;

/** What may explain a number, as its name and description have it: they name the parts, or what is summed, and perhaps states. */
function candidatesOf(
  model: Model,
  resource: Resource,
  [number, { description = '' }]: [string, Described],
  seen: Seen,
) {
  const text = `${number.replaceAll('_', ' ')} ${description}`;
  const isNamed = (word: string) => word !== '' && new RegExp(`\\b${wordOf(word)}\\b`, 'i').test(text);
  return (ever.test(text) ? [] : partsOf(resource, model.run)).flatMap((part): Explanation[] => {
    const [, states] = stateOf(part);
    const named = states.filter(isNamed);
    const isClear = named.length > 0 && names(text, part) && !/\b(not|except|without)\b|n't\b/i.test(text);
    const subsets = Array.from({ length: 2 ** states.length }, (_none, bits) =>
      states.filter((_state, at) => ((bits >> at) & 1) === 1),
    );
    const amounts = Object.keys(seen.sums.get(part)?.values().next().value ?? {});
    return amounts
      .filter((amount) => names(text, part) || (amount !== one && isNamed(amount)))
      .flatMap((amount) => (isClear ? [named] : subsets).map((each) => ({ number, part, amount, states: each })))
      .flatMap((each) => ([1, -1] as const).map((sign) => ({ ...each, sign })));
  });
}

/** What is created in an item, or names it; each way by itself. */
function makersOf(model: Model, owner: Item): Make[] {
  const { resource, at, id } = owner;
  const below = belowOf(resource, model.run).filter(({ create }) => create);
  return [
    ...below.map((part) => async () => (await model.tryCreate(part, await model.body(part), { at })).item),
    ...model.fieldsNaming(resource).map(
      ([of, name]) =>
        () =>
          orNone(model.create(of, {}, { [name]: id })),
    ),
  ];
}

/** Says that a number has nothing else in it. */
const isWhole = (text: string) =>
  /\b(sum|total|number|count|adds? up|added up)\b/i.test(text) &&
  !/\b(minus|less|plus|difference|after|net|of which)\b/i.test(text);

/** How the numbers of an item follow from its parts. */
type Explanations = ReadonlyMap<string, readonly Explanation[]>;

/** Learns how the numbers of an item follow from its parts, and does to these whatever can be done. */
export async function checkAggregates(model: Model, resource: Resource): Promise<void> {
  const ways = makersOf(model, await model.createAsShown(resource)).length;
  const numbers = numbersOf(resource);
  const wholes = numbers.flatMap(([name, { description = '' }]) => (isWhole(`${name} ${description}`) ? [name] : []));
  let known: Explanations = new Map();
  for (let way = 0; way < ways; way += 1) {
    const owner = await model.createAsShown(resource);
    const { [way]: make = () => unmet('') } = makersOf(model, owner);
    const first = await look(model, owner);
    const seen: Seen[] = [];
    const made: Item[] = [];
    for (let count = 0; first && count < learned; count += 1) {
      const item = await make();
      const now = item && (await look(model, owner));
      if (now) made.push(item);
      if (now) seen.push(now);
    }
    const [, , last] = seen;
    if (!first || !last) continue;
    // What is wholly explained by one way of creating parts is so by any other.
    for (const name of wholes) expectExplained(known.get(name) ?? [], first, last, 'what belongs to it was created');
    const isMoved = ([name]: [string, unknown]) =>
      seen.every((now, at) => now.numbers[name] !== (seen[at - 1] ?? first).numbers[name]);
    const found = numbers
      .filter(isMoved)
      .flatMap((number) => candidatesOf(model, resource, number, first))
      .filter((each) => seen.every((now) => isTrue(each, first, now)));
    const learnt = Map.groupBy(found, ({ number }) => number);
    known = new Map([...known, ...learnt]);
    if (learnt.size > 0) await tryAll(model, owner, { make, made, first, learnt, wholes });
  }
  if (known.size === 0) unmet('missing: a number that follows from what belongs to an item');
}

/** @throws {Error} if there are explanations, and none of them holds. @returns those that hold */
function expectExplained(all: readonly Explanation[], first: Seen, now: Seen, when: string): readonly Explanation[] {
  const left = all.filter((each) => isTrue(each, first, now));
  const [each] = all;
  if (!each || left.length > 0) return left;
  const { number, amount, part, states } = each;
  const ofStates = states.filter((state) => state !== '').join(' or ');
  const sum = amount === one ? 'number of' : `sum of ${amount} of`;
  const told = `the ${sum} its ${ofStates === '' ? '' : `${ofStates} `}${part.name} items`;
  const expected = expectedOf(each, first, now);
  return fail(`${number} is ${now.numbers[number]} after ${when}, and should be ${expected} by ${told}`, now.response);
}

interface Learnt {
  readonly make: Make;
  readonly made: readonly Item[];
  readonly first: Seen;
  readonly learnt: Explanations;
  readonly wholes: readonly string[];
}

/** Changes, acts on and removes parts, and creates two at the same time. */
async function tryAll(model: Model, owner: Item, { make, made, first, learnt, wholes }: Learnt): Promise<void> {
  let left = learnt;
  const expectAll = async (when: string) => {
    const isBroken = (now: Seen) => [...left.values()].some((all) => !all.some((each) => isTrue(each, first, now)));
    let now = await look(model, owner);
    if (now && isBroken(now)) {
      await sleep(settlingMilliseconds);
      now = await look(model, owner);
    }
    const seen = now;
    if (seen) left = new Map([...left].map(([name, all]) => [name, expectExplained(all, first, seen, when)]));
  };
  const [item, removed] = made;
  if (!item || !removed) return;
  const { resource } = item;
  const { change, replace, remove, create } = resource;
  const update = change ?? (replace === create ? undefined : replace);
  const bodies = change
    ? await changesOf(model, resource)
    : [await model.body(resource, update), await model.body(resource, update)];
  for (const body of update ? bodies.slice(0, mostTries) : [])
    if (update && (await model.update(item, update, body)))
      await expectAll(`an update of ${Object.keys(body).join(' and ')}`);
  if (remove) await model.remove(removed);
  await expectAll('a removal');
  await Promise.all([make(), make()]);
  await expectAll('two were created at the same time');
  // What has something else in it may be moved by an action in other ways.
  left = new Map([...left].filter(([name]) => wholes.includes(name)));
  for (const action of actionsOf(resource, model.run)) {
    const body = action.json && (await bodyNamingItems(model, resource, action.json));
    const acted = await make();
    for (const each of acted ? [body, ...variantsOf(action, body ?? {}), body].slice(0, mostTries) : [])
      await model.send(action, { at: acted?.at ?? {}, body: each });
    await expectAll(action.operation.operationId);
  }
}
