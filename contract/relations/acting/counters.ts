/** Relations of numbers that count all items, or those of a state. */
import { literally } from '../../document/match.ts';
import type { Schema } from '../../document/model.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { isObject, parsed, told } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { successSchema } from '../../plan/parameters.ts';
import { fail, isSuccess, type Item, unmet } from '../exchange.ts';
import type { Model } from '../model.ts';
import type { Resource, Resources } from '../resources.ts';
import { createdByOther } from '../state.ts';
import { type Fields, listedSchema, objectsIn, plainName, singular } from '../values.ts';
import { actionsOf } from '../steps.ts';
import { bodyNamingItems, changesOf, variantsOf } from './changes.ts';
import { membersOf } from './members.ts';
import { names, pluralOrOne, someAlone } from '../said.ts';

/** A number that counts the items of a resource. */
export interface Counter {
  readonly read: Baseline;
  readonly field: string;
  /** The field and the state in which an item counts, as in "the number of active members". */
  readonly state?: readonly [field: string, value: unknown] | undefined;
}

export function countersOf(resource: Resource, { baselines }: Resources): Counter[] {
  const { name } = resource;
  const several = `${name.replace(/y$/, 'ie')}s`;
  const isWhole = new RegExp(
    `^((number(of)?|num|total|n)(${name}|${several})|${several}|${name}(count|total|number))$`,
  );
  /** As in `total`, which is said to be that of all books. */
  const isTotal = (field: string, text: string) =>
    /^(total|all|count)(count)?$/.test(field) &&
    new RegExp(`\\b(all|every|each|total|number|counts?)\\b[^.]*\\b${pluralOrOne(name)}\\b`, 'i').test(text);
  const states = Object.entries(fieldsOf(resource.listed)).flatMap(([field, { enum: values = [] }]) =>
    values.map((value) => [field, value] as const),
  );
  const countsIn = (fields: Record<string, Schema & { description?: string }>, said: string) =>
    Object.entries(fields).flatMap(([field, { type, description = '' }]) => {
      const text = `${said} ${description}`.replaceAll(/[^.;,]*\b(deleted|removed)\b[^.;,]*/gi, '');
      const named = states.filter(([, value]) => new RegExp(`\\b${literally(String(value))}\\b`, 'i').test(text));
      const [state] = named.length === 1 ? named : [];
      // As in 'those with the status `open`'.
      const ofState = new RegExp(
        `(\\b(with|in|of|having) (the )?)?(\\b(status|state) )?\`?${literally(String(state?.[1]))}\`?`,
        'i',
      );
      const isAll = !someAlone.test(state ? text.replace(ofState, '') : text);
      // As in `open_tickets`.
      const ofAny = plainName(field).replace(plainName(told(state?.[1] ?? '')), '');
      const isNamed = [plainName(field), ofAny].some((each) => isWhole.test(each)) || isTotal(plainName(field), text);
      return type === 'integer' && isNamed && isAll ? [{ field, state }] : [];
    });
  return baselines.flatMap((read): Counter[] => {
    const { description } = read.operation;
    const isOne = isOfAll(read, resource);
    const shown = fieldsOf(successSchema(read.operation));
    const parts =
      isOne && !listedSchema(read.operation) ? [shown, ...Object.values(shown).map((each) => fieldsOf(each))] : [];
    return parts.flatMap((part) => countsIn(part, description)).map((found) => ({ read, ...found }));
  });
}

/** Whether an operation reads something of all items, as `/stats`, of which none has an owner. */
function isOfAll({ operation: { method, path: at, parameters } }: Baseline, { path }: Resource): boolean {
  return method === 'get' && !/\{/.test(at + path.replace(/\{[^{}]*\}$/, '')) && parameters.length === 0;
}

/** Numbers of items by the values of a field, as in `by_status`. */
export interface Grouped {
  readonly read: Baseline;
  readonly part: string;
  readonly field: string;
}

export function groupedOf(resource: Resource, { baselines }: Resources): Grouped[] {
  const { listed } = resource;
  return baselines.flatMap((read): Grouped[] => {
    const { summary, description } = read.operation;
    const parts = Object.entries(isOfAll(read, resource) ? fieldsOf(successSchema(read.operation)) : {});
    return parts.flatMap(([part, schema]: [string, Schema & { description?: string }]): Grouped[] => {
      const [, about = ''] = /by(\w+)$/.exec(plainName(part)) ?? [];
      const field = Object.keys(fieldsOf(listed)).find((each) => singular(plainName(each)) === singular(about));
      const isOf = names(`${summary} ${description} ${schema.description}`, resource);
      return field !== undefined && isOf && schema.type === 'object' ? [{ read, part, field }] : [];
    });
  });
}

/** Whatever is done to items, the numbers move as those of the items that are listed. */
export async function checkGrouped(model: Model, resource: Resource, { read, part, field }: Grouped): Promise<void> {
  let last: Map<string, number> | undefined;
  const expectAlike = async (when: string) => {
    const response = await model.send(read);
    const { items, complete } = await model.listAll(resource);
    const { [part]: shown } = objectsIn(parsed(response.text))[0] ?? {};
    if (!isObject(shown) || !complete || resource.query?.isSelective === true)
      unmet('missing: a list that is short enough to be read whole');
    const values = items.flatMap((each) => each[field]).map(String);
    const countOf = (value: string) => values.filter((each) => each === value).length;
    // What else is counted, as by other tenants, stays as it is.
    const beyond = new Map(
      [...values, ...Object.keys(shown)].map((each) => [each, Number(shown[each] ?? 0) - countOf(each)]),
    );
    for (const value of new Set([...beyond.keys(), ...(last?.keys() ?? [])])) {
      const moved = (beyond.get(value) ?? 0) - (last?.get(value) ?? 0);
      if (last && moved !== 0)
        fail(
          `${value} in ${part} is ${told(shown[value])} after ${when}, which is ${moved} more than are listed`,
          response,
        );
    }
    last = beyond;
  };
  const items = [await model.create(resource), await model.create(resource), await model.create(resource)] as const;
  await expectAlike('');
  const [item, other, third] = items;
  for (const body of (await changesOf(model, resource)).slice(0, 4))
    if (resource.change && (await model.update(item, resource.change, body))) await expectAlike('a change');
  for (const { owner, put, remove, field: of, parameter } of membersOf(model.run))
    if (owner === resource && of === field) {
      const at = { ...item.at, [parameter.name]: model.chosenId(parameter.schema) };
      for (const by of [put, remove])
        if (by && isSuccess(await model.send(by, { at }))) await expectAlike(by.operation.operationId);
    }
  for (const action of actionsOf(resource, model.run))
    if (
      isSuccess(await model.send(action, { at: other.at, body: await bodyNamingItems(model, resource, action.json) }))
    )
      await expectAlike(action.operation.operationId);
  if (resource.remove && isSuccess(await model.remove(third))) await expectAlike('a removal');
}

/** Adding moves a counter, and removing what was added brings it back; that of a state is how many are listed in it. */
export async function checkCounted(model: Model, resource: Resource, counter: Counter): Promise<void> {
  const { read, field, state } = counter;
  const count = async () => {
    const response = await model.send(read);
    const shown = objectsIn(parsed(response.text)).find((each) => typeof each[field] === 'number');
    return [Number(shown?.[field] ?? unmet(`missing: ${field} in a response`)), response] as const;
  };
  const inState = async () => {
    const { items, complete } = state ? await model.listAll(resource) : { items: [], complete: false };
    const isWhole = complete && resource.query?.isSelective !== true;
    return isWhole ? items.filter((each) => each[state?.[0] ?? ''] === state?.[1]).length : undefined;
  };
  const [[before], listedBefore = 0] = [await count(), await inState()];
  const expectOfState = async (when: string) => {
    const [[now, response], listed] = [await count(), await inState()];
    const expected = before - listedBefore + (listed ?? 0);
    if (listed !== undefined && now !== expected)
      fail(`${field} is ${now} after ${when}, and ${told(state?.[1])} are ${expected}`, response);
  };
  const made: Item[] = [];
  while (made.length < 2) {
    const [last] = await count();
    made.push(await model.create(resource));
    const [now, response] = await count();
    if (made.length === 1 && (await createdByOther(model, resource)) && (await count())[0] !== now)
      fail(`${field} counts what another tenant made`, response);
    if (!state && now === last) fail(`${field} is still ${now} after another ${resource.name} was created`, response);
  }
  await expectOfState('two were created');
  for (const action of state ? actionsOf(resource, model.run) : []) {
    const { json, operation } = action;
    for (const body of [...variantsOf(action, json?.valid as Fields), json?.valid]) {
      await model.send(action, { at: made[0]?.at ?? {}, body });
      await expectOfState(operation.operationId);
    }
  }
  for (const item of made) if (!resource.remove || !isSuccess(await model.remove(item))) return;
  await expectOfState('both were removed');
  const [now, response] = await count();
  if (!state && made.every((item) => model.removed.get(item) === true) && now !== before)
    fail(`${field} is ${now} after what was created is removed, and was ${before}`, response);
}
