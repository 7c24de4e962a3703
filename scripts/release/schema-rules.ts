import { isDeepStrictEqual } from 'node:util';
import {
  breaking,
  byKey,
  byValue,
  type Change,
  compatible,
  type Json,
  keysOf,
  object,
  sameButTexts,
  textKeys,
} from './document.ts';

/** The place of a schema: narrowing one breaks clients in a request, widening one in a response. */
interface Place {
  readonly where: string;
  readonly what: string;
  readonly direction: 'request' | 'response';
  /** Whether oasdiff does not check this schema, so that every change must be judged here. */
  readonly unseen?: boolean;
}

/** Keywords that narrow a schema as they increase (1) or decrease (-1); for 0, any change is both. */
const bounds: Readonly<Record<string, 1 | -1 | 0>> = {
  ...{ minimum: 1, exclusiveMinimum: 1, minLength: 1, minItems: 1, minProperties: 1 },
  ...{ maximum: -1, exclusiveMaximum: -1, maxLength: -1, maxItems: -1, maxProperties: -1 },
  ...{ format: 0, pattern: 0, multipleOf: 0, uniqueItems: 0 },
};

/** Keywords that oasdiff judges in the schemas that it checks. */
const judgedByOasdiff = new Set([
  ...['type', 'nullable', 'enum', 'required', 'properties', 'items', 'default', 'deprecated', 'readOnly', 'writeOnly'],
]);

/** Judges bodies, with a schema per media type. oasdiff reports added and removed media types. */
export function contentRules(before: Json, after: Json, place: Place): Change[] {
  return byKey(object(before['content']), object(after['content']), {
    both: (_mediaType, old, current) => [
      ...unjudged(old, current, ['schema'], place.where),
      ...schemaRules(object(old['schema']), object(current['schema']), place),
    ],
  });
}

/** Judges the changes of a schema. A changed keyword that neither this nor oasdiff judges is breaking. */
export function schemaRules(before: Json, after: Json, place: Place): Change[] {
  const { where, what, direction, unseen } = place;
  return keysOf(before, after).flatMap((key): Change[] => {
    const [old, current] = [before[key], after[key]];
    if (textKeys.has(key) || sameButTexts({ [key]: old }, { [key]: current })) return [];
    if (key in bounds) return boundRule(key, old, current, place);
    if (key === 'x-extensible-enum')
      return byValue(
        where,
        [(old ?? []) as unknown[], (current ?? []) as unknown[]],
        (verb, value) => `${what} in the ${direction}: the open enumeration ${verb} ${String(value)}`,
      );
    if (key === 'additionalProperties') return additionalPropertiesRule(old, current, place);
    if (key === 'properties' && !unseen)
      return byKey(object(old), object(current), {
        both: (name, was, is) => schemaRules(was, is, { ...place, what: `\`${name}\`` }),
      });
    if (key === 'items') return schemaRules(object(old), object(current), { ...place, what: `the items of ${what}` });
    if (key === 'allOf' && Array.isArray(old) && Array.isArray(current) && old.length === current.length)
      return old.flatMap((part, index) => schemaRules(object(part), object(current[index]), place));
    if (judgedByOasdiff.has(key) && !unseen) return [];
    return [breaking(where, `${what} in the ${direction}: ${key} changed${fromTo(old, current)}`)];
  });
}

function boundRule(key: string, old: unknown, current: unknown, { where, what, direction }: Place): Change[] {
  const sign = bounds[key] ?? 0;
  const narrower = old === undefined || (sign !== 0 && Number(current) * sign > Number(old) * sign);
  const wider = current === undefined || (sign !== 0 && !narrower);
  const harmless = direction === 'response' ? narrower : wider;
  const text = `${what} in the ${direction}: ${key} changed${fromTo(old, current)}`;
  return [harmless ? compatible(where, text) : breaking(where, text)];
}

/** Additional fields in a response break no client: the document asks clients to ignore unknown fields. */
function additionalPropertiesRule(old: unknown = true, current: unknown = true, place: Place): Change[] {
  const { where, what, direction } = place;
  const text = `${what} in the ${direction}: additionalProperties changed${fromTo(old, current)}`;
  if (typeof old === 'object' && typeof current === 'object')
    return schemaRules(object(old), object(current), { ...place, what: `each further field of ${what}`, unseen: true });
  const closes = current === false || old === true;
  const harmless = direction === 'response' ? closes || old === false : !closes || isDeepStrictEqual(current, {});
  return isDeepStrictEqual(old, current) ? [] : [harmless ? compatible(where, text) : breaking(where, text)];
}

function fromTo(old: unknown, current: unknown): string {
  const shown = (value: unknown) => (value === undefined ? 'none' : JSON.stringify(value));
  return ` from ${shown(old)} to ${shown(current)}`;
}

/** Reports every changed key as breaking that no rule judges, so that no change goes unnoticed. */
export function unjudged(before: Json, after: Json, judged: string[], where: string): Change[] {
  return keysOf(before, after)
    .filter((key) => !judged.includes(key) && !textKeys.has(key))
    .filter((key) => !sameButTexts({ [key]: before[key] }, { [key]: after[key] }))
    .map((key) => breaking(where, `${key} changed, and no rule in scripts/release/ judges it: write one`));
}
