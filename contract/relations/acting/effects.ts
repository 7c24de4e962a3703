/**
 * What a description says that an operation does: to an item, to another one that it names, to what belongs to it, and to numbers of what
 * it refers to. It counts where it is said without a condition, or under that of a state.
 */
import { literally } from '../../document/match.ts';
import type { Schema } from '../../document/model.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { isObject, told } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import type { HttpResponse } from '../../run/model.ts';
import { fail, type Item, typed, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import { belowOf, isBelowParent, type Resource, type Resources } from '../resources.ts';
import { type Fields, isMoving, plainName } from '../values.ts';
import { names, pluralOrOne, wordOf } from '../said.ts';
import { entityFields } from '../identity.ts';

type Schemas = Readonly<Record<string, Schema>>;

/** A sentence without markup. */
interface Said {
  readonly text: string;
  /** The states of which one an item must be in, if it is said of these alone. */
  readonly states: readonly unknown[];
}

/** Says that something else decides, or begins with it. */
const conditional =
  /^(with|if|for|in|on|by|after|before|once|while|where|as)\b|^\w+ing\b|\b(if|unless|when|may|might|can|could|cannot|not|never|nothing|only|except|later|eventually)\b|n't\b/i;
/** As in "If the order was paid, its quantities go back". */
const ofState = /^if (?:the|it|its|an?)\b[^,]{0,30}?\b(?:is|was|were|has been) (?:already |been )?`?(\w+)`?,? (.+)$/i;

/** The sentences and list entries of a description, and what stands in parentheses. */
function saidBy({ operation: { summary, description } }: Baseline, { name }: Resource, fields: Schemas): Said[] {
  const states = Object.entries(fields).flatMap(([field, { enum: values = [] }]) => (isMoving(field) ? values : []));
  const plain = `${summary}.\n${description}`.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '');
  return plain.split(/[.;!?]\s+|:\s*\n|\n\s*[-*]\s|\n\s*\n|[()]/).flatMap((part): Said[] => {
    const sentence = part.replaceAll(/\s+/g, ' ').trim();
    const [, state, rest = sentence] = ofState.exec(sentence) ?? [];
    const isOf = (value: unknown) => new RegExp(`\\b${wordOf(value)}(?: or \\w+)? ${pluralOrOne(name)}\\b`, 'i');
    const of = states.filter((value) => value === state || isOf(value).test(rest));
    const isClear = rest !== '' && !conditional.test(rest) && (state === undefined || of.length > 0);
    return isClear ? [{ text: rest, states: of }] : [];
  });
}

/** What a field must be, in words. */
interface Expected {
  readonly field: string;
  readonly what: string;
  readonly holds: (value: unknown) => boolean;
}

const isNone = (value: unknown) => value === null || value === undefined || value === '';
const isEmpty = (value: unknown) => !value || (Array.isArray(value) && value.length === 0);

/** Begins what is said of the item itself. */
const ofItself = /^(?:(?:also|then|this|it|and|the \w+) )*\w+s\b/i;

/** What an action must make of the fields of its own item. */
function expectedOf(model: Model, by: Baseline, resource: Resource, body: unknown, said: readonly Said[]): Expected[] {
  const { path } = by.operation;
  const others = model.run.resources.filter((each) => each.name !== resource.name && each.name.length > 2);
  const isOfOther = (text: string) =>
    /\b(target|other|another|that|those)\b/i.test(text) || others.some((each) => names(text, each));
  const stem = (path.split('/').at(-1) ?? '').replace(/e$/, '');
  // What may be done in part, or later.
  const isPartial = Object.values(fieldsOf(by.payload?.schema)).some(
    ({ type, format }) => type !== 'string' || /^date/.test(format ?? ''),
  );
  return Object.entries(entityFields(resource)).flatMap(([field, { enum: values = [] }]): Expected[] => {
    const equal = (value: unknown) => [
      { field, what: `should be ${told(value)}`, holds: (each: unknown) => each === value },
    ];
    const own = isObject(body) ? body[field] : undefined;
    if (isMoving(field) && values.length > 1) {
      if (values.includes(own)) return equal(own);
      const alternatives = values.map(wordOf).join('|');
      const becoming = new RegExp(
        `^(.*?)\\b(?:(?:becomes|turns(?: in)?to|is (?:set|moved|changed) to|is marked(?: as)?)|(?:marks|sets|moves|changes|switches|puts)\\b[^.,]*?\\b(?:to|as|into|in)) (?:the )?(?:status |state )?\`?(${alternatives})\`?(?!\\w)`,
        'i',
      );
      const named = said.flatMap(({ text }) => {
        const [, before = '', state] = becoming.exec(text) ?? [];
        return state === undefined || isOfOther(before)
          ? []
          : values.filter((value) => new RegExp(`^${wordOf(value)}$`, 'i').test(state));
      });
      // As `cancelled`, which an item is after `/orders/{id}/cancel`.
      const participles = values.filter((value) => new RegExp(`^${literally(stem)}\\w?ed$`, 'i').test(String(value)));
      const [state, ...more] = new Set(named.length > 0 ? named : isPartial ? [] : participles);
      return state === undefined || more.length > 0 ? [] : equal(state);
    }
    const isSaid = (verbs: string) =>
      said.some(
        ({ text }) => ofItself.test(text) && new RegExp(`\\b(?:${verbs})\\b[^\`.]*\`${field}\``, 'i').test(text),
      );
    const isNulled = said.some(({ text }) => new RegExp(`\`${field}\` (?:becomes|is set to) \`?null`, 'i').test(text));
    if (isNulled || isSaid('clears?|unsets?|empties|resets?'))
      return [{ field, what: 'should be cleared', holds: isEmpty }];
    return isSaid('sets?|records?|stamps?|fills?')
      ? [{ field, what: 'should be set', holds: (each) => !isNone(each) }]
      : [];
  });
}

/** A number of another item that an operation changes by so much. */
interface Shift {
  readonly of: Item;
  readonly field: string;
  readonly by: number;
}

const less =
  /\b(takes|reduces|decreases|deducts|subtracts|decrements|lowers|consumes|debits|withdraws|reserves)\b|\b(is|are) (reduced|decreased|deducted|subtracted|taken|lowered|reserved|debited)\b/i;
const more =
  /\b(increases|returns|adds|restores|releases|increments|raises|credits|restocks)\b|\b(is|are) (increased|returned|given back|added|restored|released|credited|put back)\b|\b(gives?|puts?|go(es)?)\b[^.]*\bback\b/i;
const amounts = /^(quantity|qty|amount|count|units|points|number|delta|seats)$/;

/** The numbers of an item that a text names. */
function numbersNamedIn(text: string, of: Resource): string[] {
  return Object.entries(entityFields(of)).flatMap(([field, { type }]) => {
    const isNamed = new RegExp(`\\b${field.replaceAll('_', '[ _]')}\\b`, 'i').test(text);
    return isNamed && /^(integer|number)$/.test(String(type)) ? [field] : [];
  });
}

/** Whether a text says that a number grows, or falls; undefined if it says neither, or both. */
function signIn(text: string): 1 | -1 | undefined {
  return less.test(text) === more.test(text) ? undefined : more.test(text) ? 1 : -1;
}

/** The numbers that move by the amounts in an item, or in its lines, as the stock of what an order takes. */
function shiftsOf(model: Model, resource: Resource, given: Fields, said: readonly Said[], owner?: Item): Shift[] {
  const schemas = { ...entityFields(resource), ...resource.sent.properties };
  const lines = Object.entries(given).flatMap(([name, value]) =>
    Array.isArray(value) ? value.filter(isObject).map((line) => [line, fieldsOf(schemas[name]?.items)] as const) : [],
  );
  return [[given, schemas] as const, ...lines].flatMap(([line, fields]): Shift[] => {
    const [amount, ...others] = Object.entries(line).filter(([name]) => amounts.test(plainName(name)));
    if (typeof amount?.[1] !== 'number' || others.length > 0) return [];
    const [, by] = amount as [string, number];
    const referred = model.referencesIn(line, resource, { fields }).map(([name, of]) => {
      return model.items.find((each) => each.resource.path === of.path && each.id === String(line[name]));
    });
    return [owner, ...referred].flatMap((item): Shift[] => {
      if (!item) return [];
      const named = said.map(({ text }) => ({ fields: numbersNamedIn(text, item.resource), sign: signIn(text) }));
      return [...new Set(named.flatMap(({ fields: each }) => each))].flatMap((field): Shift[] => {
        const signs = named.flatMap(({ fields: each, sign }) => (each.includes(field) ? (sign ?? []) : []));
        return signs.length === 1 ? [{ of: item, field, by: by * (signs[0] ?? 0) }] : [];
      });
    });
  });
}

/** Whether an operation is said to change a number of what an item may refer to. */
export function movesNumbers(by: Baseline, resource: Resource, { resources }: Resources): boolean {
  const others = resources.filter((each) => each !== resource);
  return saidBy(by, resource, {}).some(
    ({ text }) => signIn(text) !== undefined && others.some((each) => numbersNamedIn(text, each).length > 0),
  );
}

/** Looks at numbers before an operation. @returns compares them with what they must be after it, if it has succeeded or was refused */
async function watchNumbers(model: Model, shifts: readonly Shift[], by: Baseline) {
  const read = async ({ of, field }: Shift) => {
    const { entity, response } = await model.find(of);
    return [entity?.[field], response] as const;
  };
  const before = new Map<string, number>();
  const sums = new Map<string, Shift>();
  for (const shift of shifts) {
    const key = `${shift.of.id} ${shift.field}`;
    const sum = sums.get(key)?.by ?? 0;
    if (!sums.has(key)) before.set(key, Number((await read(shift))[0]));
    sums.set(key, { ...shift, by: sum + shift.by });
  }
  return async (hasSucceeded: boolean): Promise<void> => {
    const when = `${hasSucceeded ? '' : 'a refused '}${by.operation.operationId}`;
    for (const [key, shift] of sums) {
      const [was = NaN, [now, response]] = [before.get(key), await read(shift)];
      const expected = hasSucceeded ? was + shift.by : was;
      if (typeof now === 'number' && Math.abs(now - expected) > 1e-6)
        fail(`${shift.field} is ${now} after ${when}, was ${was}, and should be ${expected}`, response);
    }
  };
}

/** What a creation is said to change of what the item refers to. */
export async function checkCreationSaid(model: Model, resource: Resource, create: Baseline): Promise<void> {
  const said = saidBy(create, resource, {});
  const { at } = await model.create(resource);
  const body = await model.body(resource);
  const { name = '' } = resource.parent?.parameter ?? {};
  const isOwner = (each: Item) => isBelowParent(resource) && each.resource.path === resource.parent?.path;
  const owner = model.items.find((each) => isOwner(each) && each.at[name] === at[name]);
  const shifts = shiftsOf(model, resource, body, said, owner);
  if (shifts.length === 0) unmet('missing: what a creation is said to change');
  const expectNumbers = await watchNumbers(model, shifts, create);
  const { item } = await model.tryCreate(resource, body, { at });
  await expectNumbers(item !== undefined);
}

/** Another item of the same resource that the body of an action names, as that into which an item is merged. */
function targetOf(model: Model, { resource, id }: Item, by: Baseline, body: unknown): Item | undefined {
  const given = isObject(body) ? body : {};
  const references = model.referencesIn(given, resource, { fields: fieldsOf(by.payload?.schema), isOwn: true });
  const [name = ''] = references.find(([, of]) => of.path === resource.path) ?? [];
  const [named] = [given[name]].flat();
  return model.items.find((each) => each.resource.path === resource.path && each.id === named && each.id !== id);
}

const moving = /\b(moves?|moved|transfers?|transferred|reassigns?|reassigned|go(es)? (over )?to)\b/i;
const joining = /\b(added to|joined|merged|combined|united|copied)\b/i;
const staying = /\b(stays?|remains?|are kept|keeps)\b/i;
const naming = /`(\w+)` (?:names|refers to|points to|holds|becomes|is set to)\b[^.]*\btarget\b/;

/** What an action is said to do, watched from before it. */
export interface Watched {
  readonly target: Item | undefined;
  /** The item before it. */
  readonly seen: { readonly entity: Fields | undefined; readonly response: HttpResponse };
  /** @throws {Error} unless an action that has succeeded has done so, or one that was refused has done nothing */
  readonly expectSaid: (hasSucceeded: boolean) => Promise<void>;
}

/** Whether something is said of an action on items in a state alone. */
export function saysOfStates(by: Baseline, resource: Resource): boolean {
  return saidBy(by, resource, entityFields(resource)).some(({ states }) => states.length > 0);
}

/** Looks at what an action is said to change, before it is asked for. */
export async function watch(model: Model, item: Item, by: Baseline, body: unknown): Promise<Watched> {
  const { resource } = item;
  const { operationId } = by.operation;
  const fields = entityFields(resource);
  const all = saidBy(by, resource, fields);
  const target = targetOf(model, item, by, body);
  const isSaid = (pattern: RegExp, of: string) =>
    all.some(({ text }) => pattern.test(text) && new RegExp(`\\b${of}\\b`, 'i').test(text));
  const kinds = target ? belowOf(resource, model.run).filter(({ list }) => list) : [];
  const moved: Item[] = [];
  for (const kind of kinds.filter(({ name, create }) => create && isSaid(moving, pluralOrOne(name))))
    for (let count = 0; count < 2; count += 1) {
      const { item: one } = await model.tryCreate(kind, await model.body(kind), { at: item.at });
      if (one) moved.push(one);
    }
  const seen = await model.find(item);
  const { entity: before = {} } = seen;
  const { entity: ofTarget = {} } = target ? await model.find(target) : {};
  const isIn = ({ states }: Said) =>
    states.length === 0 || Object.entries(before).some(([name, value]) => isMoving(name) && states.includes(value));
  const said = all.filter(isIn);
  const expectNumbers = await watchNumbers(model, shiftsOf(model, resource, before, said), by);
  return { target, seen, expectSaid };

  async function expectSaid(hasSucceeded: boolean): Promise<void> {
    await expectNumbers(hasSucceeded);
    if (!hasSucceeded) return;
    const { entity, response } = await model.find(item);
    for (const { field, what, holds } of entity ? expectedOf(model, by, resource, body, said) : [])
      if (entity?.[field] !== undefined && !holds(entity[field]))
        fail(`${field} is ${told(entity[field])} after ${operationId}, and ${what}`, response);
    if (!target) return;
    const [, named] = said.map(({ text }) => naming.exec(text)).find((found) => found !== null) ?? [];
    if (named !== undefined && entity?.[named] !== undefined && entity[named] !== typed(entity[named], target.id))
      fail(`${named} is ${told(entity[named])} after ${operationId}, and should be ${target.id}`, response);
    await expectTarget(target);
  }

  async function expectTarget(into: Item): Promise<void> {
    const { entity = {}, response } = await model.find(into);
    for (const [field, { type }] of Object.entries(fields)) {
      const words = field.replaceAll('_', '[ _]');
      const [own, other, now] = [before[field], ofTarget[field], entity[field]];
      if (type === 'array' && isSaid(joining, words) && Array.isArray(now)) {
        const lost = [own, other].flat().find((each) => typeof each === 'string' && !now.includes(each));
        if (lost !== undefined) fail(`${field} of the target lack ${told(lost)} after ${operationId}`, response);
      } else if (isSaid(staying, `${words}\\b.*\\btarget`) && JSON.stringify(now) !== JSON.stringify(other))
        fail(`${field} of the target is ${told(now)} after ${operationId}, and was ${told(other)}`, response);
    }
    for (const kind of new Set(moved.map((each) => each.resource))) {
      const ofKind = moved.filter((each) => each.resource === kind);
      const { ids, complete, last } = await model.listAll(kind, { at: into.at });
      const lost = ofKind.find(({ id }) => complete && !ids.includes(id));
      if (lost) fail(`${lost.id} is not listed at the target after ${operationId}`, last);
      const isCount = new RegExp(`^(num|numberof|total)?${pluralOrOne(kind.name)}(count|total)?$`);
      const [count = ''] = Object.keys(fields).filter((each) => isCount.test(plainName(each)));
      const expected = Number(ofTarget[count]) + Number(before[count]);
      if (typeof entity[count] === 'number' && entity[count] !== expected)
        fail(`${count} of the target is ${entity[count]} after ${operationId}, and should be ${expected}`, response);
    }
  }
}
