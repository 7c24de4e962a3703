/**
 * Numbers of an item that follow from what belongs to it, as a total of amounts. How a number follows is learnt while the first parts are
 * created; whatever is done to them afterwards, one of the explanations that were found must go on to hold.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema } from '../../document/model.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { parsed } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { HttpResponse } from '../../run/model.ts';
import { amountIn, fail, isSuccess, type Item, orNone, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import { belowOf, entityIn, refersTo, type Resource, type Resources, shownFields } from '../resources.ts';
import { names, someAlone, wordOf } from '../said.ts';
import { actionsOf } from '../steps.ts';
import { isMoving, plainName } from '../values.ts';
import { bodyNamingItems, changesOf, variantsOf } from './changes.ts';

type Described = Schema & { readonly description?: string };

/** What belongs to an item, as a list below it has it, or names it in a field. */
interface Part {
  readonly of: Resource;
  readonly field?: string;
}

/** A number of an item that no client writes, and what shows it. */
interface Shown {
  readonly name: string;
  readonly description: string;
  readonly read: Baseline;
}

/** Creates something that belongs to an item, or names it. */
type Make = () => Promise<Item | undefined>;

/** What is seen of an item at a moment: its numbers, and of its parts, by their kind and state, how many they are and the sums of their amounts. */
interface Seen {
  readonly numbers: ReadonlyMap<string, number>;
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
const mostTries = 8;
/** A server may bring a number up to date a moment later. */
const settlingMilliseconds = 500;
/** The amount of a part that is only counted. */
const one = 'number';

function isAmount(schema: Schema): boolean {
  return [schema, ...Object.values(fieldsOf(schema))].some(({ type }) => type === 'integer' || type === 'number');
}

/** The numbers that are read of an item, or beside it, as at `/vehicles/{id}/summary`. */
function numbersOf(resource: Resource, { baselines }: Resources): Shown[] {
  const { path, read, sent } = resource;
  const isBeside = ({ operation: { method, path: each, parameters } }: Baseline) =>
    method === 'get' &&
    each.startsWith(`${path}/`) &&
    !each.slice(path.length).includes('{') &&
    parameters.every(({ in: place }) => place === 'path');
  return [read ?? [], ...baselines.filter(isBeside)]
    .flat()
    .flatMap((by) =>
      Object.entries<Described>(shownFields(by, resource)).flatMap(([name, schema]) =>
        !sent.properties[name] && isAmount(schema) ? [{ name, description: schema.description ?? '', read: by }] : [],
      ),
    );
}

function partsOf(resource: Resource, { resources }: Resources): Part[] {
  const { path } = resource;
  return resources.flatMap((of): Part[] => {
    const { list, parent, sent, listed } = of;
    if (parent?.path === path && list?.operation.path.startsWith(`${path}/`) === true) return [{ of }];
    const isOther = list !== undefined && of.path !== path && !list.operation.path.includes('{');
    const [field] = Object.keys(isOther ? fieldsOf(listed) : {}).filter(
      (name) => sent.properties[name] && refersTo(resource, name, sent.properties[name], resources),
    );
    return field === undefined ? [] : [{ of, field }];
  });
}

/** Whether an item may have numbers that follow from its parts. */
export function hasAggregates(resource: Resource, run: Resources): boolean {
  return resource.read !== undefined && numbersOf(resource, run).length > 0 && partsOf(resource, run).length > 0;
}

/** The field that has the state of a part, and its values. */
function stateOf({ listed }: Resource): [field: string, states: readonly string[]] {
  const fields = Object.entries(fieldsOf(listed));
  const [field, { enum: values = [] } = {}] = fields.find(([name, each]) => isMoving(name) && each.enum) ?? [];
  return field === undefined || values.length > mostStates ? ['', ['']] : [field, values.map(String)];
}

/** @returns undefined if a list is too long to be read whole */
async function look(model: Model, { resource, at, id }: Item): Promise<Seen | undefined> {
  const shown = numbersOf(resource, model.run);
  const numbers = new Map<string, number>();
  let last: HttpResponse | undefined;
  for (const read of new Set(shown.map((each) => each.read))) {
    last = await model.send(read, { at });
    const entity = entityIn(parsed(last.text), resource) ?? {};
    for (const each of shown) if (each.read === read) numbers.set(each.name, amountIn(entity[each.name]));
  }
  const sums = new Map<Resource, Map<string, Record<string, number>>>();
  for (const { of, field: naming } of partsOf(resource, model.run)) {
    const filter = of.query?.filters.find(({ field, comparison }) => field === naming && comparison === 'equal');
    const query = filter && naming !== undefined ? { [filter.key]: id } : {};
    const { items: listed, complete } = await model.listAll(of, { at, query });
    if (!complete) return undefined;
    const items = listed.filter((each) => naming === undefined || [each[naming]].flat().map(String).includes(id));
    const [field, states] = stateOf(of);
    const amounts = Object.entries(fieldsOf(of.listed)).flatMap(([name, each]) => (isAmount(each) ? [name] : []));
    const sumOf = (state: string) => {
      const inState = items.filter((each) => field === '' || String(each[field]) === state);
      const sum = (name: string) => inState.reduce((total, each) => total + (amountIn(each[name]) || 0), 0);
      return { ...Object.fromEntries(amounts.map((name) => [name, sum(name)])), [one]: inState.length };
    };
    sums.set(of, new Map(states.map((state) => [state, sumOf(state)])));
  }
  return last && { numbers, sums, response: last };
}

function sumIn({ part, amount, states }: Explanation, { sums }: Seen): number {
  return states.reduce((total, state) => total + (sums.get(part)?.get(state)?.[amount] ?? 0), 0);
}

/** The number that is explained, if it was right before. */
function expectedOf(each: Explanation, before: Seen, now: Seen): number {
  return (before.numbers.get(each.number) ?? NaN) + each.sign * (sumIn(each, now) - sumIn(each, before));
}

function isTrue(each: Explanation, before: Seen, now: Seen): boolean {
  return Math.abs((now.numbers.get(each.number) ?? NaN) - expectedOf(each, before, now)) < 0.005;
}

/** Says that a number never falls. */
const ever = /\b(ever|lifetime|all.time|so far|historical|since)\b/i;
/** Says what a number is, and nothing else. */
const wholly = /^(?:the )?(?:(number of|count of|how many)|(?:sum|total)(?: amount)? of)\b/i;

/** Whether a number is named as a count of parts, as `comment_count`, or `booked` of bookings. */
function isCountOf({ name }: Resource, number: string): boolean {
  const [stem] = name.split(/(?:ation|ment|ing|er|or|ee)$/);
  const parts = `${name}|${name.replace(/y$/, 'ie')}s|${stem}e?d`;
  return new RegExp(`^(number(of)?|num|total|n)?(${parts})(count|total|number)?$`).test(number);
}

interface Candidates {
  readonly all: readonly Explanation[];
  /** Whether the description leaves no doubt. */
  readonly isSure: boolean;
}

/** What may explain a number, as its name and description have it: they name the parts, or what is summed, and perhaps states. */
function candidatesOf({ name: number, description }: Shown, { of: part }: Part): Candidates {
  const text = `${number.replaceAll('_', ' ')} ${description}`;
  const saysOf = (pattern: string) => new RegExp(`\\b${pattern}\\b`, 'i').test(text);
  const isPart = names(text, part);
  const [, states] = stateOf(part);
  const named = states.filter((state) => state !== '' && saysOf(wordOf(state)));
  // As in "that are not retired".
  const negated = named.filter((state) => saysOf(`not (?:yet |been |in )*(?:\\w+ or )?${wordOf(state)}`));
  const meant = negated.length === 0 ? named : states.filter((state) => !negated.includes(state));
  const isOfStates =
    isPart && named.length > 0 && (negated.length === named.length || !/\b(not|except)\b|n't\b/i.test(text));
  const subsets = Array.from({ length: 2 ** states.length }, (_none, bits) =>
    states.filter((_state, at) => ((bits >> at) & 1) === 1),
  );
  const [isSum, ofNumber] = wholly.exec(description) ?? [];
  const isCount = ofNumber !== undefined || isCountOf(part, plainName(number));
  const own = Object.entries(fieldsOf(part.listed)).flatMap(([name, each]) => (isAmount(each) ? [name] : []));
  const summed = own.filter((amount) => saysOf(wordOf(amount)));
  const amounts = isCount ? [one] : [...(isPart ? own : summed), one];
  const isClear = isOfStates || !someAlone.test(text);
  const isSure = isPart && isClear && (isCount || (isSum !== undefined && (own.length === 1 || summed.length > 0)));
  const all = amounts.flatMap((amount) =>
    (isOfStates ? [meant] : isSure ? [states] : subsets).flatMap((each) =>
      ([1, -1] as const).map((sign) => ({ number, part, amount, states: each, sign })),
    ),
  );
  return { all: ever.test(text) || !(isPart || summed.length > 0) ? [] : all, isSure };
}

/** What is created in an item, or names it; each way by itself. */
function makersOf(model: Model, owner: Item): Make[] {
  const { resource, at, id } = owner;
  const below = belowOf(resource, model.run).filter(({ create }) => create);
  const makeNaming = (of: Resource, name: string) => () => orNone(model.create(of, {}, { [name]: id }));
  return [
    ...below.map((part) => async () => (await model.tryCreate(part, await model.body(part), { at })).item),
    ...model.fieldsNaming(resource).map(([of, name]) => makeNaming(of, name)),
  ];
}

/** Says that a number has nothing else in it. */
const isWhole = (text: string) =>
  /\b(sum|total|number|count|adds? up|added up|how many)\b/i.test(text) &&
  !/\b(minus|less|plus|difference|after|net|of which)\b/i.test(text);

/** How the numbers of an item follow from its parts. */
type Explanations = ReadonlyMap<string, readonly Explanation[]>;

/** Learns how the numbers of an item follow from its parts, and does to these whatever can be done. */
export async function checkAggregates(model: Model, resource: Resource): Promise<void> {
  const ways = makersOf(model, await model.createAsShown(resource)).length;
  const numbers = numbersOf(resource, model.run);
  const wholes = numbers.flatMap(({ name, description }) =>
    isWhole(`${name.replaceAll('_', ' ')} ${description}`) ? [name] : [],
  );
  const candidates = numbers.flatMap((number) =>
    partsOf(resource, model.run).map((part) => candidatesOf(number, part)),
  );
  let known: Explanations = Map.groupBy(
    candidates.flatMap(({ all, isSure }) => (isSure ? all : [])),
    ({ number }) => number,
  );
  let hasFound = false;
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
    if (!first || seen.length < learned) continue;
    // What is wholly explained by one way of creating parts is so by any other.
    const sure = new Map([...known].filter(([name]) => wholes.includes(name)));
    const settled = await lookSettled(model, owner, sure, first);
    if (settled)
      for (const all of sure.values()) expectExplained(all, first, settled, 'what belongs to it was created');
    const isMoved = (number: string) =>
      seen.every((now, at) => now.numbers.get(number) !== (seen[at - 1] ?? first).numbers.get(number));
    const found = candidates
      .flatMap(({ all }) => all)
      .filter((each) => isMoved(each.number) && seen.every((now) => isTrue(each, first, now)));
    const learnt = Map.groupBy(found, ({ number }) => number);
    known = new Map([...known, ...learnt]);
    hasFound ||= learnt.size > 0;
    if (learnt.size > 0) await tryAll(model, owner, { make, made, first, learnt, wholes });
  }
  if (!hasFound) unmet('missing: a number that follows from what belongs to an item');
}

/** Looks again a moment later if nothing explains a number. */
async function lookSettled(model: Model, owner: Item, all: Explanations, first: Seen): Promise<Seen | undefined> {
  const now = await look(model, owner);
  if (!now || [...all.values()].every((each) => each.some((other) => isTrue(other, first, now)))) return now;
  await sleep(settlingMilliseconds);
  return look(model, owner);
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
  return fail(
    `${number} is ${now.numbers.get(number)} after ${when}, and should be ${expected} by ${told}`,
    now.response,
  );
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
    const now = await lookSettled(model, owner, left, first);
    if (now) left = new Map([...left].map(([name, all]) => [name, expectExplained(all, first, now, when)]));
  };
  const [item, removed] = made;
  if (!item || !removed) return;
  const { resource } = item;
  const { change, replace, remove, create } = resource;
  const update = change ?? (replace === create ? undefined : replace);
  const replacements = async () => [await model.body(resource, update), await model.body(resource, update)];
  const bodies = change ? await changesOf(model, resource) : update ? await replacements() : [];
  for (const body of bodies.slice(0, mostTries))
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
      if (isSuccess(await model.send(action, { at: acted?.at ?? {}, body: each })))
        await expectAll(action.operation.operationId);
  }
}
