/** What an item shows follows from itself: a number from others, as its description has it, and a time from the state. */
import type { Schema } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { isObject, told } from '../oracle/json.ts';
import type { HttpResponse } from '../run/model.ts';
import { amountIn, fail } from './exchange.ts';
import { type Resource } from './resources.ts';
import { type Fields, isMoving } from './values.ts';
import { entityFields } from './identity.ts';

type Described = Readonly<Record<string, Schema & { description?: string }>>;

/** @throws {Error} if what an item shows contradicts itself */
export function expectConsistent(resource: Resource, entity: Fields, response: HttpResponse): void {
  const shown = entityFields(resource);
  // What HAL embeds are parts as any other.
  const { _embedded: embedded } = entity;
  const [all, values] = [
    { ...fieldsOf(shown['_embedded']), ...shown },
    { ...(isObject(embedded) && embedded), ...entity },
  ];
  expectNumbersIn(all, values, response);
  expectTimes(resource, shown, entity, response);
}

const operators: Readonly<Record<string, string>> = {
  ...{ plus: '+', '+': '+', minus: '-', '-': '-', '−': '-', less: '-' },
  ...{ '×': '*', x: '*', '*': '*', '·': '*', times: '*', 'multiplied by': '*' },
};
const operator = String.raw`\s*(?<![\w])(plus|\+|minus|(?<=\s)-(?=\s)|−|less|×|x|\*|·|times|multiplied by)(?![\w])\s*(?:the )?`;
const term = '`?\\b(\\w+)\\b`?';
/** As in "`quantity` × `price`". */
const formula = new RegExp(`${term}(?:${operator}${term})+`, 'i');
/** Says that there is more to it than the formula. */
const [before, after] = [
  new RegExp(`${operator}$`, 'i'),
  new RegExp(`^(?:${operator}|\\s*(?:/|÷|divided|per\\b|%))`, 'i'),
];
/** As in "The sum of `quantity` × `price` of all `parts`". */
const sum = /\b(?:sum|total) of (?:the )?(.+?) (?:of|in|over|for|across) (?:(?:all|its|the|each|every|of) )*`?(\w+)`?/i;
/** Says that a number is not rounded to the nearest one. */
const oneWay = /\b(up|down)\b|truncat|cut off/i;

/** A sum of products of fields. */
type Terms = readonly { readonly sign: 1 | -1; readonly factors: readonly string[] }[];

/** The formula in a text; undefined if there is none of known fields alone. */
function termsIn(text: string, fields: Described): Terms | undefined {
  const found = formula.exec(text);
  const whole = found?.[0] ?? new RegExp(`^${term}$`).exec(text)?.[0];
  if (whole === undefined) return undefined;
  const start = found?.index ?? 0;
  if (before.test(text.slice(0, start)) || after.test(text.slice(start + whole.length))) return undefined;
  const [first = '', ...others] = whole.split(new RegExp(operator, 'i'));
  const terms = [{ sign: 1 as 1 | -1, factors: [first.replaceAll('`', '')] }];
  for (let at = 0; at < others.length; at += 2) {
    const name = (others[at + 1] ?? '').replaceAll('`', '');
    const by = operators[(others[at] ?? '').toLowerCase()];
    if (by === '*') terms.at(-1)?.factors.push(name);
    else terms.push({ sign: by === '-' ? -1 : 1, factors: [name] });
  }
  // As in "the sum of the totals".
  const known = terms.map(({ sign, factors }) => ({
    sign,
    factors: factors.map((name) => (name in fields ? name : name.replace(/s$/, ''))),
  }));
  return known.every(({ factors }) => factors.every((name) => name in fields)) ? known : undefined;
}

function valueOf(terms: Terms, entity: Fields): number {
  const product = (factors: readonly string[]) => factors.reduce((total, name) => total * amountIn(entity[name]), 1);
  return terms.reduce((total, { sign, factors }) => total + sign * product(factors), 0);
}

/** What a description says that a number is; NaN if it says nothing of the kind. */
function expectedIn(description: string, shown: Described, entity: Fields): number {
  const [, summed = '', list = ''] = sum.exec(description) ?? [];
  const items = entity[list];
  if (Array.isArray(items)) {
    const terms = termsIn(summed, fieldsOf(shown[list]?.items));
    return terms ? items.filter(isObject).reduce((total, each) => total + valueOf(terms, each), 0) : Number.NaN;
  }
  const terms = formula.test(description) ? termsIn(description, shown) : undefined;
  return terms ? valueOf(terms, entity) : Number.NaN;
}

/** @throws {Error} if a number is not what its description says, in the item or in its parts */
function expectNumbersIn(shown: Described, entity: Fields, response: HttpResponse): void {
  for (const [name, schema] of Object.entries(shown)) {
    const { type, description = '' } = schema;
    const inner = fieldsOf(schema.items ?? schema);
    for (const part of [entity[name]].flat()) if (isObject(part)) expectNumbersIn(inner, part, response);
    if (oneWay.test(description)) continue;
    const isDecimal = type !== 'integer' && /cent|two decimal|2 decimal/i.test(description);
    const tolerated = isDecimal ? 0.005 : /round|whole/i.test(description) ? 0.5 : 0;
    const [found, expected] = [amountIn(entity[name]), expectedIn(description, shown, entity)];
    if (Math.abs(found - expected) > tolerated + 1e-9 * Math.abs(expected) + 1e-9)
      fail(`${name} is ${found}, and should be ${expected}: ${told(description)}`, response);
  }
}

/** Says that a time is not there in some states, as in "null unless it is paid". */
const otherwiseNull = /\bnull\b[^.]*\b(if|unless|while|otherwise|when)\b|\b(otherwise|else)\b[^.]*\bnull\b/i;

/** @throws {Error} if a time that is named after a state, as `paid_at`, is not there in it, or is there in an earlier one though it is said not to be */
function expectTimes(resource: Resource, shown: Described, entity: Fields, response: HttpResponse): void {
  for (const [name, { description = '' }] of Object.entries(shown)) {
    const [, state] = /^(\w+?)(?:_at|At)$/.exec(name) ?? [];
    if (state === undefined || resource.sent.properties[name] || entity[name] === undefined) continue;
    for (const [field, { enum: values = [] }] of Object.entries(shown)) {
      const [place, now] = [values.indexOf(state), values.indexOf(entity[field])];
      if (place < 0 || now < 0 || !isMoving(field)) continue;
      const isWrong = entity[name] === null ? now === place : now < place && otherwiseNull.test(description);
      if (isWrong) fail(`${name} is ${told(entity[name])}, and ${field} is ${told(entity[field])}`, response);
    }
  }
}
