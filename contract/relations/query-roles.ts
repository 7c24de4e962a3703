/** What the query parameters of a list do, by their names and schemas. A parameter of no known role is left out. */
import type { Operation, Parameter, Schema } from '../document/model.ts';
import { fieldsOf, isObject, listedSchema, plainName } from './resources.ts';

/** The parameters that choose a part of a list, by plain names. */
const pagingNames = {
  limit: /^(limit|pagesize|perpage|maxresults|maxitems|size|first|take|top|count)$/,
  offset: /^(offset|skip|startindex|startat|start)$/,
  page: /^(page|pagenumber|pageindex|pageno)$/,
  cursor:
    /^(cursor|after|pagetoken|token|nexttoken|next|continuation|continuationtoken|startingafter|marker|aftercursor)$/,
} as const;
const numeric = ['integer', 'number'];

export type Paging = Partial<Record<keyof typeof pagingNames, Parameter>>;

export function pagingOf(operation: Operation): Paging {
  // A field of the items is filtered by, such as the size of a shoe.
  const fields = Object.keys(fieldsOf(listedSchema(operation) ?? {})).map(plainName);
  const found = Object.entries(pagingNames).flatMap(([role, names]) => {
    const fits = ({ in: place, name, schema }: Parameter) =>
      place === 'query' &&
      names.test(plainName(name)) &&
      !fields.includes(plainName(name)) &&
      (role === 'cursor' ? schema.type === 'string' : numeric.includes(schema.type ?? ''));
    const parameter = operation.parameters.find(fits);
    return parameter ? [[role, parameter]] : [];
  });
  return Object.fromEntries(found) as Paging;
}

const nextNames =
  /^(next|nextcursor|nextpagetoken|nexttoken|cursor|endcursor|continuation|continuationtoken|nextpage|after|marker)$/;

/** The cursor of the next page, in the body or in `Link`; undefined on the last page. */
export function nextCursor(body: unknown, link = '', name = ''): string | undefined {
  const [, linked] = /<([^>]*)>[^,]*;\s*rel="?next"?/i.exec(link) ?? [];
  const parts = isObject(body) ? [body, ...Object.values(body).filter(isObject)] : [];
  const entries = parts.flatMap((part) => Object.entries(part));
  const isLast = entries.some(([key, value]) => plainName(key) === 'hasmore' && value === false);
  const named = entries.filter(([key]) => nextNames.test(plainName(key)));
  // What is not called next may be the cursor of this page.
  const next = named.some(([key]) => /next/i.test(key)) ? named.filter(([key]) => /next/i.test(key)) : named;
  const value = next
    .map(([, each]) => each)
    .find((each) => typeof each === 'number' || (typeof each === 'string' && each !== ''));
  const text = linked ?? value?.toString();
  if (isLast || text === undefined) return undefined;
  return text.includes('?') ? (new URL(text, 'http://localhost').searchParams.get(name) ?? undefined) : text;
}

/** How a filter compares the field of an item with its value. */
export type Comparison = 'equal' | 'at least' | 'at most' | 'after' | 'before' | 'contains';

export interface Filter {
  readonly parameter: Parameter;
  /** The name in the query. */
  readonly key: string;
  readonly comparison: Comparison;
  /** The schema of the filter's value. */
  readonly schema: Schema;
  /** The field of an item that it is about; absent if it searches texts. */
  readonly field?: string;
}

const bounds: readonly (readonly [RegExp, Comparison])[] = [
  [/^(?:min|minimum)(.+)$|^(.+)(?:min|minimum|gte)$/, 'at least'],
  [/^(?:max|maximum)(.+)$|^(.+)(?:max|maximum|lte)$/, 'at most'],
  [/^(.+)(?:after|since|from|gt)$/, 'after'],
  [/^(.+)(?:before|until|to|lt)$/, 'before'],
];
const searching = /^(q|query|search|searchterm|text|keyword|keywords)$/;
/** Names that often choose how an item is shown, rather than which. */
const presenting = /^(language|lang|locale|currency|units?|format|timezone|version|fields|view)$/;
/** Says that a parameter does not do what its name says. */
const inverted = /exclud|except|other than|without|ignore|fuzzy|relevan|not (equal|match)/i;

export function filtersOf(operation: Operation): Filter[] {
  const listed = listedSchema(operation);
  if (!listed) return [];
  const fields = Object.keys(fieldsOf(listed));
  const fieldOf = (name: string, more = false) =>
    fields.find((each) => plainName(each) === name) ??
    (more ? fields.find((each) => new RegExp(`^${name}(at|on|date|time)$`).test(plainName(each))) : undefined);
  const paging = Object.values(pagingOf(operation));
  return operation.parameters.flatMap((parameter): Filter[] => {
    const { name, schema, description, style } = parameter;
    if (parameter.in !== 'query' || paging.includes(parameter) || inverted.test(description)) return [];
    if (presenting.test(plainName(name)) && !/filter|only|whose|with/i.test(description)) return [];
    const filter = (key: string, about: string, of: Schema): Filter[] => {
      const field = fieldOf(about);
      if (field !== undefined) return [{ parameter, key, comparison: 'equal', schema: of, field }];
      for (const [pattern, comparison] of bounds) {
        const [, before, after] = pattern.exec(about) ?? [];
        const bounded = fieldOf(before ?? after ?? '', true);
        if (bounded !== undefined) return [{ parameter, key, comparison, schema: of, field: bounded }];
      }
      return searching.test(about) ? [{ parameter, key, comparison: 'contains', schema: of }] : [];
    };
    if (style === 'deepObject')
      return Object.entries(fieldsOf(schema)).flatMap(([each, of]) => filter(`${name}[${each}]`, plainName(each), of));
    return filter(name, plainName(name), schema.type === 'array' ? (schema.items ?? {}) : schema);
  });
}

/** Whether a list may leave out what was just created, as far as its document says. */
export function isSelective({ operation }: { readonly operation: Operation }): boolean {
  const { summary, description } = operation;
  const words = /\b(published|active|approved|available|visible|recent|popular)\b/i;
  return (
    words.test(`${summary} ${description}`) || filtersOf(operation).some(({ schema }) => schema.default !== undefined)
  );
}

/** An order that a list can have. */
export interface Order {
  readonly query: Readonly<Record<string, string>>;
  readonly field: string;
  readonly descending: boolean;
}

export function ordersOf(operation: Operation): Order[] {
  const listed = listedSchema(operation);
  const named = (pattern: RegExp) =>
    operation.parameters.find((each) => each.in === 'query' && pattern.test(plainName(each.name)));
  const hasOwnOrder = (field: string) => fieldsOf(listed ?? {})[field]?.enum !== undefined;
  const sort = named(/^(sort|sortby|orderby|sortfield|order)$/);
  if (!listed || !sort) return [];
  const direction = named(/^(order|direction|sortorder|sortdirection|orderdirection|dir)$/);
  const directions = direction === sort ? [] : (direction?.schema.enum ?? []).map(String);
  const { enum: values = [] } = sort.schema.items ?? sort.schema;
  return values.map(String).flatMap((value): Order[] => {
    const [, sign = '', about = '', suffix = ''] = /^([+-]?)(.+?)(?:[:_ .-](asc|desc)(?:ending)?)?$/i.exec(value) ?? [];
    const field = Object.keys(fieldsOf(listed)).find((each) => plainName(each) === plainName(about));
    // Listed values may have an order of their own, as low, medium and high.
    if (field === undefined || hasOwnOrder(field)) return [];
    const query = { [sort.name]: value };
    const descending = sign === '-' || /^desc/i.test(suffix);
    if (!direction || directions.length === 0) return [{ query, field, descending }];
    return directions
      .filter((each) => /^(asc|desc)/i.test(each))
      .map((each) => ({ query: { ...query, [direction.name]: each }, field, descending: /^desc/i.test(each) }));
  });
}
