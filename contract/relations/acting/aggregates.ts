/**
 * Numbers that follow from what there is: those of an item from what belongs to it, as a total of amounts, and those of a summary from all
 * items. How a number follows is learnt while the first parts are created; whatever is done to them afterwards, one of the explanations
 * that were found must go on to hold.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf } from '../../document/schemas.ts';
import { isObject, parsed } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { HttpResponse } from '../../run/model.ts';
import { isPrivate } from '../access.ts';
import { amountIn, fail, isSuccess, type Item, orNone, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import { belowOf, type Resource } from '../resources.ts';
import { createdByOther } from '../state.ts';
import { actionsOf, stepsOf } from '../steps.ts';
import type { Fields } from '../values.ts';
import { bodyNamingItems, changesOf, variantsOf } from './changes.ts';
import {
  candidatesOf,
  type Explanation,
  kindOf,
  numbersIn,
  numbersOf,
  one,
  type Part,
  partsOf,
  type Shown,
  summarised,
} from './explanations.ts';
import { membersOf } from './members.ts';

/** What has numbers: an item, or, if there is none, what a summary shows of all items. */
interface Whole {
  readonly shown: readonly Shown[];
  readonly parts: readonly Part[];
  readonly item?: Item | undefined;
}

/** Creates something that belongs to an item, or names it. */
type Make = () => Promise<Item | undefined>;

/** What is seen at a moment. */
interface Seen {
  readonly numbers: ReadonlyMap<string, number>;
  readonly parts: ReadonlyMap<Resource, readonly Fields[]>;
  readonly response: HttpResponse;
}

/** By the name of a number. */
type Explanations = ReadonlyMap<string, readonly Explanation[]>;

const learned = 3;
const mostTries = 8;
/** A server may bring a number up to date a moment later. */
const settlingMilliseconds = 500;
/** @returns undefined if a list is too long to be read whole */
async function look(model: Model, { shown, parts, item }: Whole): Promise<Seen | undefined> {
  const numbers = new Map<string, number>();
  const found = new Map<Resource, readonly Fields[]>();
  const at = item?.at ?? {};
  let last: HttpResponse | undefined;
  const bodies = new Map<Baseline, unknown>();
  for (const read of new Set(shown.map((each) => each.read))) {
    last = await model.send(read, { at });
    bodies.set(read, parsed(last.text));
  }
  for (const { of, field: naming } of parts) {
    const filter = of.query?.filters.find(({ field, comparison }) => field === naming && comparison === 'equal');
    const query = filter && item && naming !== undefined ? { [filter.key]: item.id } : {};
    const { items, complete } = await model.listAll(of, { at, query });
    if (!complete) return undefined;
    const isOwn = (each: Fields) =>
      naming === undefined ||
      [each[naming]]
        .flat()
        .map(String)
        .includes(item?.id ?? '');
    found.set(of, items.filter(isOwn));
  }
  for (const { name, read, valueIn, group } of shown) {
    const value = valueIn(bodies.get(read));
    if (!group) numbers.set(name, amountIn(value));
    else if (isObject(value)) for (const key of Object.keys(value)) numbers.set(nameIn(name, key), Number(value[key]));
  }
  return last && { numbers, parts: found, response: last };
}

const nameIn = (group: string, value: string) => `${value} in ${group}`;

function sumIn({ part, amount, field, values }: Explanation, { parts }: Seen): number {
  const schema = fieldsOf(part.listed)[field ?? ''] ?? {};
  const counts = (each: Fields) =>
    field === undefined ||
    [each[field]].flat().some((value) => values.includes(kindOf(schema, value) ?? String(value)));
  const found = parts.get(part)?.filter(counts) ?? [];
  return amount === one ? found.length : found.reduce((total, each) => total + (amountIn(each[amount]) || 0), 0);
}

/** The number that is explained, if it was right before. */
function expectedOf(each: Explanation, before: Seen, now: Seen): number {
  return (before.numbers.get(each.number) ?? 0) + each.sign * (sumIn(each, now) - sumIn(each, before));
}

function isTrue(each: Explanation, before: Seen, now: Seen): boolean {
  return Math.abs((now.numbers.get(each.number) ?? 0) - expectedOf(each, before, now)) < 0.005;
}

/** Each number by a value of a field is that of the parts with the value. */
function groupedBy({ name, group }: Shown, { numbers, parts }: Seen): Explanation[] {
  if (!group) return [];
  const { part, field } = group;
  const known = [...numbers.keys()].flatMap((each) =>
    each.endsWith(nameIn(name, '')) ? [each.split(' in ')[0] ?? ''] : [],
  );
  const listed = (parts.get(part) ?? []).flatMap((each) => each[field]).map(String);
  return [...new Set([...known, ...listed])].map((value) => {
    const number = nameIn(name, value);
    return { ...{ number, part, field, values: [value], amount: one, sign: 1 }, isSure: true, isWhole: true };
  });
}

/** What is created in an item, or names it, each way by itself; of a summary, an item of each kind. */
function makersOf(model: Model, { item, parts }: Whole): Make[] {
  const makeNaming = (of: Resource, naming: Fields) => () => orNone(model.create(of, {}, naming));
  if (!item) return parts.map(({ of }) => makeNaming(of, {}));
  const { resource, at, id } = item;
  const below = belowOf(resource, model.run).filter(({ create }) => create);
  return [
    ...below.map((part) => async () => (await model.tryCreate(part, await model.body(part), { at })).item),
    ...model.fieldsNaming(resource).map(([of, name]) => makeNaming(of, { [name]: id })),
  ];
}

const byNumber = (all: readonly Explanation[]): Explanations => Map.groupBy(all, ({ number }) => number);

/** Learns how the numbers of an item follow from its parts, or those of a summary from all items, and does to these whatever can be done. */
export async function checkAggregates(model: Model, of: Resource | Baseline): Promise<void> {
  const { run } = model;
  const summary = 'operation' in of ? of : undefined;
  const shown = 'operation' in of ? numbersIn(of, run) : numbersOf(of, run);
  const all = 'operation' in of ? summarised(run) : partsOf(of, run);
  const parts = all.filter((part) =>
    shown.some((each) => candidatesOf(each, part).length > 0 || each.group?.part === part.of),
  );
  const candidates = shown.flatMap((number) => parts.flatMap((part) => candidatesOf(number, part)));
  const newWhole = async (): Promise<Whole> => {
    return { shown, parts, item: 'operation' in of ? undefined : await model.createAsShown(of) };
  };
  let known = byNumber(candidates.filter(({ isSure }) => isSure));
  let hasFound = false;
  const ways = makersOf(model, await newWhole()).length;
  for (let way = 0; way < ways; way += 1) {
    const whole = await newWhole();
    const { [way]: make = () => unmet('') } = makersOf(model, whole);
    const first = await look(model, whole);
    const seen: Seen[] = [];
    const made: Item[] = [];
    for (let count = 0; first && count < learned; count += 1) {
      const item = await make();
      const now = item && (await look(model, whole));
      if (now) made.push(item);
      if (now) seen.push(now);
    }
    const { [learned - 1]: last } = seen;
    if (!first || !last) continue;
    known = new Map([...known, ...byNumber(shown.flatMap((each) => groupedBy(each, last)))]);
    // What is wholly explained by one way of creating parts is so by any other.
    const sure = new Map([...known].filter(([, [each]]) => each?.isWhole));
    const settled = await lookSettled(model, whole, sure, first);
    if (settled) for (const each of sure.values()) expectExplained(each, first, settled, 'some were created');
    const isMoved = (number: string) =>
      seen.every((now, at) => now.numbers.get(number) !== (seen[at - 1] ?? first).numbers.get(number));
    const learnt = byNumber(
      candidates.filter((each) => isMoved(each.number) && seen.every((now) => isTrue(each, first, now))),
    );
    known = new Map([...known, ...learnt]);
    hasFound ||= known.size > 0;
    const isOfMade = ({ part }: Explanation) => part === made[0]?.resource;
    const left = new Map(
      [...known].filter(([number, each]) => learnt.has(number) || (each[0]?.isSure && each.some(isOfMade))),
    );
    if (left.size > 0) await tryAll(model, whole, { make, made, first, left, summary });
  }
  if (!hasFound) unmet('missing: a number that follows from what belongs to an item');
}

/** Looks again a moment later if nothing explains a number. */
async function lookSettled(model: Model, whole: Whole, all: Explanations, first: Seen): Promise<Seen | undefined> {
  const now = await look(model, whole);
  if (!now || [...all.values()].every((each) => each.some((other) => isTrue(other, first, now)))) return now;
  await sleep(settlingMilliseconds);
  return look(model, whole);
}

/** @throws {Error} if there are explanations, and none of them holds. @returns those that hold */
function expectExplained(all: readonly Explanation[], first: Seen, now: Seen, when: string): readonly Explanation[] {
  const left = all.filter((each) => isTrue(each, first, now));
  const [each] = all;
  if (!each || left.length > 0) return left;
  const { number, amount, part, field, values } = each;
  const told = `the ${amount === one ? 'number of' : `sum of ${amount} of`} ${part.name} items`;
  const by = field === undefined ? told : `${told} with ${values.join(' or ')} as ${field}`;
  const [found, expected] = [now.numbers.get(number) ?? 0, expectedOf(each, first, now)];
  return fail(`${number} is ${found} after ${when}, and should be ${expected} by ${by}`, now.response);
}

interface Learnt {
  readonly make: Make;
  readonly made: readonly Item[];
  readonly first: Seen;
  left: Explanations;
  readonly summary: Baseline | undefined;
}

/** Changes, acts on and removes parts, and creates two at the same time; another tenant creates one, which a summary does not show. */
async function tryAll(model: Model, whole: Whole, { make, made, first, left, summary }: Learnt): Promise<void> {
  const expectAll = async (when: string) => {
    const now = await lookSettled(model, whole, left, first);
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
  for (const { put, remove: take, parameter } of membersOf(model.run).filter(({ owner }) => owner === resource)) {
    const at = { ...item.at, [parameter.name]: model.chosenId(parameter.schema) };
    for (const by of [put, take ?? put])
      if (isSuccess(await model.send(by, { at }))) await expectAll(by.operation.operationId);
  }
  if (remove) await model.remove(removed);
  await expectAll('a removal');
  await Promise.all([make(), make()]);
  await expectAll('two were created at the same time');
  if (isPrivate(summary) && (await createdByOther(model, resource))) await expectAll('another tenant has created one');
  // What has something else in it may be moved by an action in other ways.
  left = new Map([...left].filter(([, [each]]) => each?.isWhole));
  for (const { by, body } of stepsOf(resource, [])) {
    const changed = await make();
    const headers = changed ? await model.matching(changed, by) : [];
    if (changed && isSuccess(await model.send(by, { at: changed.at, body, headers })))
      await expectAll(`a change to ${Object.values(body as Fields).join()}`);
  }
  for (const action of actionsOf(resource, model.run)) {
    const body = action.payload && (await bodyNamingItems(model, resource, action.payload));
    const acted = await make();
    for (const each of acted ? [body, ...variantsOf(action, body ?? {}), body].slice(0, mostTries) : [])
      if (isSuccess(await model.send(action, { at: acted?.at ?? {}, body: each })))
        await expectAll(action.operation.operationId);
  }
}
