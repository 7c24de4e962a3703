/** How numbers may follow from what there is, as far as a document says: which there are, of what, and what may explain them. */
import type { Schema } from '../../document/model.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { isObject } from '../../oracle/json.ts';
import type { Baseline } from '../../plan/baseline.ts';
import { successSchema } from '../../plan/parameters.ts';
import { type Resource, type Resources } from '../resources.ts';
import { names } from '../said.ts';
import { type Fields, isMap, listedSchema, plainName, singular } from '../values.ts';
import { entityIn, refersTo, shownFields } from '../identity.ts';

type Described = Schema & { readonly description?: string };

/** What belongs to an item, as a list below it has it, or names it in a field; or, of a summary, items of which there is a list. */
export interface Part {
  readonly of: Resource;
  readonly field?: string;
}

/** A number that no client writes, or several by the values of a field of parts, as in `by_status`. */
export interface Shown {
  readonly name: string;
  readonly description: string;
  /** What is said of a summary as a whole. */
  readonly about?: string;
  readonly read: Baseline;
  readonly valueIn: (body: unknown) => unknown;
  readonly group?: { readonly part: Resource; readonly field: string } | undefined;
}

/** A number grows, or falls, as the sum of an amount of the parts with some values of a field does. */
export interface Explanation {
  readonly number: string;
  readonly part: Resource;
  readonly amount: string;
  /** Absent if all parts count. */
  readonly field?: string | undefined;
  readonly values: readonly string[];
  readonly sign: 1 | -1;
  /** Whether the document leaves no doubt. */
  readonly isSure: boolean;
  /** Whether the number has nothing else in it. */
  readonly isWhole: boolean;
}

/** More values have too many subsets. */
const mostValues = 6;
/** The amount of a part that is only counted. */
export const one = 'number';

function isAmount(schema: Schema): boolean {
  return [schema, ...Object.values(fieldsOf(schema))].some(({ type }) => type === 'integer' || type === 'number');
}

/** The numbers that are read of an item, or beside it, as at `/vehicles/{id}/summary`. */
export function numbersOf(resource: Resource, { baselines }: Resources): Shown[] {
  const { path, read, sent } = resource;
  const isBeside = ({ operation: { method, path: each, parameters } }: Baseline) =>
    method === 'get' &&
    each.startsWith(`${path}/`) &&
    !each.slice(path.length).includes('{') &&
    parameters.every(({ in: place }) => place === 'path');
  return [read ?? [], ...baselines.filter(isBeside)].flat().flatMap((by) =>
    Object.entries<Described>(shownFields(by, resource)).flatMap(([name, schema]): Shown[] => {
      const { description = '' } = schema;
      const valueIn = (body: unknown) => entityIn(body, resource)?.[name];
      return sent.properties[name] || !isAmount(schema) ? [] : [{ name, description, read: by, valueIn }];
    }),
  );
}

/** The numbers of a summary, also those of the objects in it, and those by the values of a field. */
export function numbersIn(read: Baseline, run: Resources): Shown[] {
  const about = `${read.operation.summary}. ${read.operation.description}`;
  return Object.entries<Described>(fieldsOf(successSchema(read.operation))).flatMap(([outer, schema]): Shown[] => {
    const outerIn = (body: unknown) => (isObject(body) ? body[outer] : undefined);
    const [, by = ''] = /by(\w+)$/.exec(plainName(outer)) ?? [];
    const groups = summarised(run).flatMap(({ of: part }) =>
      Object.keys(fieldsOf(part.listed)).flatMap((field) =>
        singular(plainName(field)) === singular(by) && names(`${about} ${schema.description}`, part)
          ? [{ part, field }]
          : [],
      ),
    );
    const inner = Object.entries<Described>(isMap(schema) ? {} : fieldsOf(schema));
    if (schema.type === 'object' && groups[0])
      return [{ name: outer, description: '', read, valueIn: outerIn, group: groups[0] }];
    if (inner.length === 0)
      return isAmount(schema)
        ? [{ name: outer, description: schema.description ?? '', about, read, valueIn: outerIn }]
        : [];
    return inner.flatMap(([name, { description = '', ...each }]): Shown[] => {
      const valueIn = (body: unknown) => (outerIn(body) as Fields | undefined)?.[name];
      return isAmount(each)
        ? [{ name, description: description || (schema.description ?? ''), about, read, valueIn }]
        : [];
    });
  });
}

export function partsOf(resource: Resource, { resources }: Resources): Part[] {
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

/** What a summary may be about. */
export function summarised({ resources }: Resources): Part[] {
  const isListed = ({ create, list, path, query }: Resource) =>
    create && list && query?.isSelective === false && !path.replace(/\{[^{}]*\}$/, '').includes('{');
  return resources.filter(isListed).map((of) => ({ of }));
}

/** Whether an item may have numbers that follow from its parts. */
export function hasAggregates(resource: Resource, run: Resources): boolean {
  return resource.read !== undefined && numbersOf(resource, run).length > 0 && partsOf(resource, run).length > 0;
}

/** Whether an operation reads something of all items, as `/stats`. */
export function isSummary(read: Baseline, run: Resources): boolean {
  const { method, path, parameters } = read.operation;
  const isOne = method === 'get' && !path.includes('{') && parameters.length === 0 && !listedSchema(read.operation);
  return isOne && numbersIn(read, run).length > 0 && summarised(run).length > 0;
}

/** The value by which a part may count: one of a few, or whether it has any; undefined if it says nothing. */
export function kindOf(schema: Schema, value: unknown): string | undefined {
  const isFew = schema.type === 'boolean' || (schema.enum?.length ?? Infinity) <= mostValues;
  if (isFew) return String(value);
  return schema.nullable === true ? String(value !== null && value !== undefined) : undefined;
}

/** The fields by which parts may count, and their values. */
function kindsOf({ listed }: Resource): [field: string, values: string[]][] {
  return Object.entries(fieldsOf(listed)).flatMap(([field, schema]): [string, string[]][] => {
    const { enum: values } = schema;
    if (kindOf(schema, null) === undefined) return [];
    return [[field, values && values.length <= mostValues ? values.map(String) : ['true', 'false']]];
  });
}

/** Says that a number follows in another way: it never falls, depends on the time, or is none that adds up. */
const otherwise =
  /\b(ever|lifetime|all.time|so far|historical|since|overdue|late|expired|today|(?:this|last|past) (?:day|week|month|year)|average|mean|median|highest|lowest|largest|smallest|longest|latest|distinct|unique|different)\b/i;
/** Says that not all parts are counted, or later. */
const someAlone =
  /\b(cache|hour|daily|eventual|approximate|estimate|last|past|recent|since|ever|not|except|only|who|that|which|with(out)?|active|open|approved|published|confirmed|visible)\b/i;

/** Whether a number is named as a count of parts, as `comment_count`, or `booked` of bookings. */
function isCountOf({ name }: Resource, number: string): boolean {
  const [stem] = name.split(/(?:ation|ment|ing|er|or|ee)$/);
  const parts = `${name}|${name.replace(/y$/, 'ie')}s|${stem}e?d`;
  return new RegExp(`^(number(of)?|num|total|n)?(${parts})(count|total|number)?$`).test(number);
}

/** What may explain a number, as its name and description have it, which name the parts or what is summed: the sum of an amount of those of some kind. */
export function candidatesOf(
  { name: number, description, about = '', group }: Shown,
  { of: part }: Part,
): Explanation[] {
  const text = `${number.replaceAll('_', ' ')} ${description}`;
  const own = Object.entries(fieldsOf(part.listed)).flatMap(([name, each]) => (isAmount(each) ? [name] : []));
  const isPart = names(`${text} ${about}`, part);
  const summed = own.filter((amount) => new RegExp(`\\b${amount.replaceAll('_', '[ _-]')}\\b`, 'i').test(text));
  if (group || otherwise.test(text) || !(isPart || summed.length > 0)) return [];
  const isCount = isCountOf(part, plainName(number));
  const isSure = isCount && isPart && !someAlone.test(text) && part.query?.isSelective !== true;
  const subsets = kindsOf(part).flatMap(([field, values]) =>
    Array.from({ length: 2 ** values.length - 2 }, (_none, bits) => ({
      field,
      values: values.filter((_value, at) => (((bits + 1) >> at) & 1) === 1),
    })),
  );
  const amounts = isCount ? [one] : [...(isPart ? own : summed), one];
  return amounts.flatMap((amount) =>
    [{ values: [] }, ...(isSure ? [] : subsets)].flatMap((each) =>
      ([1, -1] as const).map((sign) => ({ ...{ number, part, amount, isSure, isWhole: isCount }, ...each, sign })),
    ),
  );
}
