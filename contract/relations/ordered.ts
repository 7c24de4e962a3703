/** What must be in an order, as descriptions say: a field beyond another one, or beyond now, and a list by a field of its items. */
import type { Schema } from '../document/model.ts';
import { fieldsOf } from '../document/schemas.ts';
import { isObject } from '../oracle/json.ts';
import type { Baseline } from '../plan/baseline.ts';
import { daysAfter, type Fields } from './values.ts';

/** Says that a value lies beyond another, as in "Must be after `start`". */
const beyond =
  /\bmust (not )?(?:be|lie)\b[^.]*?\b(?:(after|(?:later|greater|more) than|at least|above)|(before|(?:earlier|less) than|at most|below))(?: or equal to)?(?: the| that of)* `?(\w+)`?/i;

/** The fields of a body that must lie beyond another one of their kind, and in which direction. */
export function orderedFields({ payload }: Baseline): [name: string, other: string, isLater: boolean][] {
  const fields = Object.entries(fieldsOf(payload?.schema));
  return fields.flatMap(([name, { type, format, description = '' }]: [string, Schema & { description?: string }]) => {
    const [, not, later, , other] = beyond.exec(description) ?? [];
    const isScale = type === 'integer' || type === 'number' || /^date(-time)?$/.test(format ?? '');
    const isLike = fields.some(([each, like]) => each === other && like.type === type && like.format === format);
    if (other === undefined || other === name || !isScale || !isLike) return [];
    return [[name, other, (later !== undefined) === (not === undefined)]];
  });
}

/** A body in which each field lies beyond another one that must do so; a time by an hour. */
export function putInOrder(body: Fields, baseline: Baseline): Fields {
  const ordered = { ...body };
  for (const [name, other, isLater] of orderedFields(baseline)) {
    const [value, bound] = [ordered[name], ordered[other]];
    const [at, from] = [value, bound].map((each) => (typeof each === 'string' ? Date.parse(each) : Number(each)));
    const isRight = at === undefined || from === undefined || (isLater ? at > from : at < from);
    if (value === undefined || Number.isNaN(at) || Number.isNaN(from) || isRight) continue;
    const step = isLater ? 1 : -1;
    if (typeof bound === 'number') ordered[name] = bound + step;
    else if (String(bound).length <= 10) ordered[name] = daysAfter(String(bound), step);
    else ordered[name] = `${new Date(from + step * 3_600_000).toISOString().slice(0, 19)}Z`;
  }
  for (const [name, by, sign] of arrangedLists(baseline)) {
    const items = (Array.isArray(ordered[name]) ? ordered[name] : []).filter(isObject);
    const values = items.map((each) => Number(each[by])).sort((one, other) => sign * (one - other));
    const distinct = values.every((value, at) => !values.slice(0, at).includes(value));
    if (distinct && !values.some(Number.isNaN))
      ordered[name] = items.map((each, at) => ({ ...each, [by]: values[at] }));
  }
  return ordered;
}

/** As in "In ascending order of `up_to`". */
const arranged = /\bin (ascending|descending) order of `(\w+)`/i;

/** The lists of a body that must be in the order of a field of their items, and in which direction. */
function arrangedLists({ payload }: Baseline): (readonly [name: string, by: string, sign: 1 | -1])[] {
  return Object.entries(fieldsOf(payload?.schema)).flatMap(([name, field]) => {
    const [, way = '', by = ''] = arranged.exec(String(field['description'])) ?? [];
    return by === '' ? [] : [[name, by, /^asc/i.test(way) ? 1 : -1] as const];
  });
}

/** The lists of a body whose items must be in an order, each in the opposite one. */
export function reversedLists(baseline: Baseline, body: Fields): (readonly [name: string, value: unknown])[] {
  const valid = baseline.payload?.valid;
  return arrangedLists(baseline).flatMap(([name, by]) => {
    const lists = [body[name], isObject(valid) ? valid[name] : undefined];
    const given = lists.find((each) => Array.isArray(each) && each.length > 1) as Fields[] | undefined;
    return given?.every((each) => isObject(each) && each[by] !== undefined) === true
      ? [[name, given.toReversed()]]
      : [];
  });
}

/** As in "Must be in the future", or "not in the past". */
const onSide = /\b(not|never|must)\s+(?:be |lie )?in\s+the\s+(future|past)\b/i;

/** The times of a body that must lie on one side of now, each two days on the other side. */
export function timesOnOtherSide({ payload }: Baseline): (readonly [name: string, value: string])[] {
  const fields = Object.entries(fieldsOf(payload?.schema));
  return fields.flatMap(([name, { format = '', description }]: [string, Schema & { description?: string }]) => {
    const [, how = '', side = ''] = onSide.exec(String(description)) ?? [];
    if (side === '' || !/^date(-time)?$/.test(format)) return [];
    const isLater = (side.toLowerCase() === 'future') !== (how.toLowerCase() === 'must');
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    return [[name, daysAfter(format === 'date' ? now.slice(0, 10) : now, isLater ? 2 : -2)]];
  });
}

/** Whether a body has something that must be in an order. */
export function hasOrder(baseline: Baseline): boolean {
  return orderedFields(baseline).length + arrangedLists(baseline).length + timesOnOtherSide(baseline).length > 0;
}
