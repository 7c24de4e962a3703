/** What the query parameters of a list do, by their names and schemas. A parameter of no known role is left out. */
import type { Operation, Parameter, Schema } from '../../document/model.ts';
import { isObject, parsed } from '../../oracle/json.ts';
import { textsOfParameter } from '../../oracle/parameters.ts';
import type { HttpResponse } from '../../run/model.ts';
import { literally } from '../../document/match.ts';
import { fieldsOf } from '../../document/schemas.ts';
import { objectsIn, plainName, singular } from '../values.ts';

/** The parameters that choose a part of a list, by plain names. */
const pagingNames = {
  limit: /^(limit|pagesize|perpage|maxresults|maxitems|size|first|take|top|count)$/,
  offset: /^(offset|skip|startindex|startat|start)$/,
  page: /^(page|pagenumber|pageindex|pageno)$/,
  cursor:
    /^(cursor|after|pagetoken|token|nexttoken|next|continue|continuation|continuationtoken|startingafter|marker|aftercursor)$/,
} as const;
const nextNames =
  /^(next|nextcursor|nextpagetoken|nexttoken|cursor|endcursor|continue|continuation|continuationtoken|nextpage|after|marker)$/;
const sortNames = /^(sort|sortby|orderby|sortfield|order)$/;
const directionNames = /^(order|direction|sortorder|sortdirection|orderdirection|dir)$/;
export const searchNames = /^(q|query|search|searchterm|text|keyword|keywords)$/;
/** Names that often choose how an item is shown, rather than which. */
const presenting = /^(language|lang|locale|units?|format|timezone|version|fields|view)$/;
const showing = /^(fields|select|only|properties|attributes)$/;
/** Says that a parameter does not do what its name says. */
const inverted = /exclud|except|other than|without(?! regard)|ignore|fuzzy|relevan|not (equal|match)/i;
/** Says that a list may leave out what was just created. */
const selecting = /\b(published|active|approved|available|visible|recent|popular)\b/i;
const bounds: readonly (readonly [RegExp, Comparison])[] = [
  [/^(?:min|minimum)(.+)$|^(.+)(?:min|minimum|gte)$/, 'at least'],
  [/^(?:max|maximum)(.+)$|^(.+)(?:max|maximum|lte)$/, 'at most'],
  [/^(.+)(?:after|since|from|gt)$/, 'after'],
  [/^(.+)(?:before|until|to|lt)$/, 'before'],
];

type Comparison = 'equal' | 'at least' | 'at most' | 'after' | 'before' | 'contains';

export interface Filter {
  readonly key: string;
  readonly description: string;
  readonly comparison: Comparison;
  readonly schema: Schema;
  /** Whether a bound itself is said not to match. */
  readonly isExclusive: boolean;
  /** The field of an item that it is about, or several between `|`; absent if it searches texts. */
  readonly field?: string | undefined;
  /** The parameter, if it has several values. */
  readonly list?: Parameter | undefined;
}

export interface Order {
  readonly query: Readonly<Record<string, string>>;
  readonly field: string;
  readonly descending: boolean;
  /** The listed values of the field from the least to the greatest, if the document says which. */
  readonly ranks?: readonly unknown[] | undefined;
  /** Where those without a value stand, if the document says so. */
  readonly absent?: 'first' | 'last' | undefined;
}

export interface QueryRoles {
  readonly paging: Partial<Record<keyof typeof pagingNames, Parameter>>;
  readonly filters: readonly Filter[];
  readonly orders: readonly Order[];
  /** The order of a list that none is asked for. */
  readonly usual?: Order | undefined;
  /** The parameter that adds what a list leaves out, as `include_archived`, and the field by which it is left out. */
  readonly adding?: { readonly name: string; readonly field: string } | undefined;
  /** The parameter that lists the fields to show. */
  readonly shown?: Parameter | undefined;
  readonly defaults: readonly Parameter[];
  /** Whether the list may leave out what was just created, as far as its document says. */
  readonly isSelective: boolean;
}

/** @param listed the schema of an item in the list */
export function queryRolesOf({ parameters, summary, description }: Operation, listed: Schema = {}): QueryRoles {
  const inQuery = parameters.filter((each) => each.in === 'query');
  const shown = Object.entries(fieldsOf(listed));
  const fields = new Map(shown.map(([name]) => [plainName(name), name]));
  // A parameter has one value, and so it is not compared with an object.
  const values = shown.filter(([, each]) => each.type !== 'object' && Object.keys(fieldsOf(each)).length === 0);
  const valueNames = new Map(values.map(([name]) => [plainName(name), name]));
  const paging = pagingOf(inQuery, fields);
  const others = inQuery.filter((each) => !Object.values(paging).includes(each));
  const orders = ordersOf(inQuery, fields, fieldsOf(listed));
  const usual = new Map(inQuery.map(({ name, schema }) => [name, schema.default]));
  const filters = others.flatMap((parameter) =>
    filtersOf(
      parameter,
      new Map([...innerFields(fieldsOf(listed), parameter), ...valueNames]),
      // What a search looks at, its operation may say.
      searchNames.test(plainName(parameter.name)) ? ` ${description}` : '',
    ),
  );
  return {
    paging,
    filters,
    adding: addingOf(inQuery, fields),
    orders,
    usual: orders.find(({ query }) => Object.entries(query).every(([name, value]) => usual.get(name) === value)),
    shown: inQuery.find(
      ({ name, schema: { items } }) =>
        showing.test(plainName(name)) && items?.enum?.every((each) => fields.has(plainName(String(each)))),
    ),
    defaults: inQuery.filter((each) => !each.required && textsOfParameter(each, each.schema.default)?.length === 1),
    isSelective:
      selecting.test(`${summary} ${description}`) || filters.some(({ schema }) => schema.default !== undefined),
  };
}

type FieldNames = ReadonlyMap<string, string>;

/** The fields of the objects in an item, as `customer.email`, by that name, or by `email` if a filter is said to be of the customer. */
function innerFields(fields: Record<string, Schema>, { description }: Parameter): [plain: string, name: string][] {
  const objects = Object.entries(fields).filter(([, { type }]) => type === 'object');
  return objects.flatMap(([outer, field]) => {
    const isNamed = new RegExp(`\\b${plainName(outer)}\\b`, 'i').test(description);
    return Object.keys(fieldsOf(field)).flatMap((name): [string, string][] =>
      [...(isNamed ? [name] : []), outer + name].map((each) => [plainName(each), `${outer}.${name}`]),
    );
  });
}

function pagingOf(parameters: readonly Parameter[], fields: FieldNames): QueryRoles['paging'] {
  const found = Object.entries(pagingNames).map(([role, names]) => {
    const types = role === 'cursor' ? ['string'] : ['integer', 'number'];
    // A field of the items is filtered by, such as the size of a shoe.
    const isIt = ({ name, schema }: Parameter) =>
      names.test(plainName(name)) && !fields.has(plainName(name)) && types.includes(schema.type ?? '');
    return [role, parameters.find(isIt)] as const;
  });
  return Object.fromEntries(found.filter(([, parameter]) => parameter));
}

/** The address of the next page in `Link` (RFC 8288). */
function nextLink(link = ''): string | undefined {
  return /<([^>]*)>[^,]*;\s*rel="?next"?/i.exec(link)?.[1];
}

/** The address of the next page in `Link`, or among the links of the body. */
export function nextAddress({ headers, text }: HttpResponse): string | undefined {
  const all = objectsIn(parsed(text)).flatMap((part) => Object.entries(part));
  const [, next] = all.find(([name]) => name === 'next') ?? [];
  const address = isObject(next) ? next['href'] : next;
  return nextLink(headers['link']) ?? (typeof address === 'string' && address.includes('?') ? address : undefined);
}

/** Says that a cursor is the identifier of an item. */
const ofItem = /\bids?\b|identifier/i;

/**
 * The cursor of the next page, in the body or in `Link`, or the identifier of the last item if it is one; undefined on the last page.
 * @returns 'unknown' if there is more, and nothing says where
 */
export function nextCursor(body: unknown, link: string | undefined, parameter: Parameter, last: string | undefined) {
  const { name, description } = parameter;
  const linked = nextLink(link);
  const entries = objectsIn(body).flatMap((part) => Object.entries(part));
  const [, hasMore] = entries.find(([key]) => plainName(key) === 'hasmore') ?? [];
  const named = entries.filter(([key]) => nextNames.test(plainName(key)));
  // What is not called next may be the cursor of this page.
  const next = named.some(([key]) => /next/i.test(key)) ? named.filter(([key]) => /next/i.test(key)) : named;
  const isCursor = (each: unknown) => typeof each === 'number' || (typeof each === 'string' && each !== '');
  const text =
    linked ??
    next
      .map(([, value]) => value as string | number)
      .find(isCursor)
      ?.toString();
  if (hasMore === true && text === undefined)
    return ofItem.test(description) || /^(starting)?after(id)?$/.test(plainName(name))
      ? (last ?? 'unknown')
      : 'unknown';
  if (hasMore === false || text === undefined) return undefined;
  return text.includes('?') ? (new URL(text, 'http://localhost').searchParams.get(name) ?? undefined) : text;
}

/** Says that a bound itself matches, or that it does not. */
const inclusive = /\b(inclusive(ly)?|included|or equal|or (later|earlier|after|before))\b/i;
const exclusive = /\b(exclu|non|not\b|n't\b)/i;
/** Says that a bound does not match. */
const strictly = /\b(is|are|starts?|ends?|begins?) (strictly )?(before|after)\b|\bstrictly\b|\bexclusive(ly)?\b/i;

/** Units at the end of a field's name, and what names of times end with. */
const suffixes =
  /^(at|on|date|time|amount|value|m?s|seconds|minutes|days|bytes|cents|m?g|kg|grams|[cmk]?m|meters|percent)$/;

function filtersOf(parameter: Parameter, fields: FieldNames, said: string): Filter[] {
  const { name, schema, description: own, style } = parameter;
  const description = own + said;
  const list = schema.type === 'array' ? parameter : undefined;
  // As `filter[status]`, which JSON:API recommends.
  const plain = plainName(/^filter\[(.+)\]$/.exec(name)?.[1] ?? name);
  const isShown = presenting.test(plain) && !/filter|only|whose|with/i.test(description);
  if (inverted.test(own) || isShown) return [];
  const isExclusive = strictly.test(description) && !inclusive.test(description);
  const named = (about: string, suffix = /^$/) =>
    [...fields.keys()].find((each) => each === about) ??
    [...fields.keys()].find((each) => each.startsWith(about) && suffix.test(each.slice(about.length)));
  // As in `from`, which is said to be about the `start` of an item.
  const quoted = [...description.matchAll(/`(\w+)`/g)].flatMap(([, each = '']) => named(plainName(each)) ?? []);
  // As in `from`, "Only orders that were placed at this time or later".
  const told = [...fields.keys()].filter((each) => {
    const [, stem] = /^(\w{3,}?)(?:at|on|date|time)$/.exec(each) ?? [];
    return stem !== undefined && new RegExp(`\\b${stem}\\b`, 'i').test(description);
  });
  const [only = '', ...others] = new Set(quoted.length > 0 ? quoted : told);
  const filter = (key: string, about: string, of: Schema): Filter[] => {
    const made = (comparison: Comparison, ...about: string[]): Filter[] => {
      const field = about.length === 0 ? undefined : about.map((each) => fields.get(each)).join('|');
      return [{ key, description, comparison, schema: of, field, list, isExclusive }];
    };
    const equal = named(about) ?? named(`${about}s`) ?? named(`${about}id`) ?? (list && named(singular(about)));
    if (equal !== undefined) return made('equal', equal);
    // As `account_id`, which is said to be from or to an account.
    const ends = /\b(or|either)\b/.test(description) ? [...fields.keys()].filter((each) => each.endsWith(about)) : [];
    if (ends.length > 1) return made('equal', ...ends);
    const part = named(/^(.+)(?:contains|includes|containing)$/.exec(about)?.[1] ?? '');
    if (part !== undefined) return made('contains', part);
    for (const [pattern, comparison] of bounds) {
      const [, before, after = before] =
        pattern.exec(about) ?? (others.length === 0 ? pattern.exec(only + about) : null) ?? [];
      const bounded = after === undefined ? undefined : named(after, suffixes);
      if (bounded === undefined) continue;
      const isInclusive = inclusive.test(description) && !exclusive.test(description);
      const isLower = comparison === 'after' || comparison === 'at least';
      return made(isInclusive ? (isLower ? 'at least' : 'at most') : comparison, bounded);
    }
    return searchNames.test(about) ? made('contains') : [];
  };
  return style === 'deepObject'
    ? Object.entries(fieldsOf(schema)).flatMap(([each, of]) => {
        const found = filter(`${name}[${each}]`, plainName(each), of);
        return found.length > 0 ? found : filter(`${name}[${each}]`, plain + plainName(each), of);
      })
    : filter(name, plain, schema.type === 'array' ? (schema.items ?? {}) : schema);
}

function addingOf(parameters: readonly Parameter[], fields: FieldNames): QueryRoles['adding'] {
  for (const { name, schema } of parameters) {
    const [, about] = /^(?:include|with|show)(.+)$/.exec(plainName(name)) ?? [];
    const field = about && (fields.get(about) ?? fields.get(`${about}at`));
    if (field !== undefined && schema.type === 'boolean' && schema.default === false) return { name, field };
  }
  return undefined;
}

/** As in "Those without a date come last in both directions". */
const absentAt =
  /\b(?:without|no|missing|null|unset)\b(?:(?!ascending|descending)[^.])*\b(first|last)\b(?!(?:(?!both)[^.])*(?:ascending|descending))/i;

function ordersOf(parameters: readonly Parameter[], names: FieldNames, fields: Record<string, Schema>): Order[] {
  const isDirection = ({ schema: { enum: values = [''] } }: Parameter) =>
    values.every((each) => /^(asc|desc)/i.test(String(each)));
  const direction = parameters.find((each) => directionNames.test(plainName(each.name)) && isDirection(each));
  const sort = parameters.find((each) => sortNames.test(plainName(each.name)) && each !== direction);
  const { enum: values = sort ? sortsIn(sort.description, names) : [] } = sort?.schema.items ?? sort?.schema ?? {};
  const directions = (direction?.schema.enum ?? []).map(String);
  return values.map(String).flatMap((value): Order[] => {
    const [, sign = '', about = '', suffix = ''] = /^([+-]?)(.+?)(?:[:_ .-](asc|desc)(?:ending)?)?$/i.exec(value) ?? [];
    const field = names.get(plainName(about));
    const listed = field === undefined ? undefined : fields[field]?.enum;
    // Listed values may have an order of their own, as low, medium and high.
    const ranks = listed && ranksIn(listed, `${sort?.description} ${String(fields[field ?? '']?.['description'])}`);
    if (!sort || field === undefined || (listed && !ranks)) return [];
    const query = { [sort.name]: value };
    const [, absent] = absentAt.exec(sort.description) ?? [];
    const order = { field, ranks, absent: absent?.toLowerCase() as Order['absent'] };
    if (!direction || directions.length === 0)
      return [{ query, ...order, descending: sign === '-' || /^desc/i.test(suffix) }];
    const known = directions.filter((each) => /^(asc|desc)/i.test(each));
    const inDirection = (each: string) => ({ query: { ...query, [direction.name]: each }, ...order });
    return known.map((each) => ({ ...inDirection(each), descending: /^desc/i.test(each) }));
  });
}

/** What a description says that one may sort by: fields in backquotes, descending with `desc` after one, or `-` before it. */
function sortsIn(description: string, names: FieldNames): string[] {
  const fields = Array.from(description.matchAll(/`-?(\w+)`/g), ([, name = '']) => name).filter((each) =>
    names.has(plainName(each)),
  );
  const [isSigned, isWorded] = [/`-|minus|hyphen/i.test(description), /`[^`]*\bdesc`/i.test(description)];
  return fields.flatMap((each) => [each, ...(isSigned ? [`-${each}`] : isWorded ? [`${each} desc`] : [])]);
}

/** The values in the order that a description states, as in "from low over medium to high", of which it may name the ends alone. */
function ranksIn(values: readonly unknown[], description: string): unknown[] | undefined {
  const [said = ''] = /\bfrom\b[^.]*\bto\b[^.]*/i.exec(description) ?? [];
  const places = new Map(values.map((value) => [value, said.search(new RegExp(`\\b${literally(String(value))}\\b`))]));
  const named = values
    .filter((value) => places.get(value) !== -1)
    .toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
  if (named.length === values.length) return named;
  const [first, last, ...others] = named;
  const ends = others.length === 0 ? [values[0], values.at(-1)] : [];
  if (first === ends[0] && last === ends[1] && ends.length > 0) return [...values];
  return first === ends[1] && last === ends[0] && ends.length > 0 ? values.toReversed() : undefined;
}
