import { isDeepStrictEqual } from 'node:util';
import { type Change, type Comparable, comparable, isObject, type Json, object } from './document.ts';

type Severity = Change['severity'];

/** What one difference means; undefined if it means nothing, or if oasdiff tells it. An absent value is undefined. */
type Rule = (old: Comparable, current: Comparable, isRequest: boolean) => Severity | undefined;

const removalBreaks: Rule = (_old, current) => (current === undefined ? 'breaking' : 'compatible');

/** Keywords that narrow a schema as they increase (1) or decrease (-1); for 0, any change is both. */
const bounds: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries({
    ...{ minimum: 1, exclusiveMinimum: 1, minLength: 1, minItems: 1, minProperties: 1 },
    ...{ maximum: -1, exclusiveMaximum: -1, maxLength: -1, maxItems: -1, maxProperties: -1, 'x-max-body-bytes': -1 },
    ...{ format: 0, pattern: 0, multipleOf: 0, uniqueItems: 0 },
  }).map(([keyword, sign]) => [keyword, boundRule(sign)]),
);

/** Narrowing a schema breaks clients in a request, widening one in a response. */
function boundRule(sign: number): Rule {
  return (old, current, isRequest) => {
    const narrower = old === undefined || (sign !== 0 && Number(current) * sign > Number(old) * sign);
    const wider = current === undefined || (sign !== 0 && !narrower);
    return (isRequest ? wider : narrower) ? 'compatible' : 'breaking';
  };
}

/** Additional fields in a response break no client: the document asks clients to ignore unknown fields. */
const additionalFields: Rule = (old = true, current = true, isRequest) => {
  const closes = current === false || old === true;
  const harmless = isRequest ? !closes || isDeepStrictEqual(current, {}) : closes || old === false;
  return harmless ? 'compatible' : 'breaking';
};

/** What oasdiff tells, except of schemas that it does not look into. */
const toldByOasdiff = new RegExp(
  '^(?!.* (headers \\S+ schema|additionalProperties) )(paths \\S+( (get|put|post|delete|options|head|patch|trace))?|' +
    'paths .* (operationId|tags|deprecated|security|requestBody|required|content|content \\S+|responses|responses \\d\\w\\w|' +
    'parameters|parameters \\w+ \\S+|type|nullable|enum|properties|properties \\S+|items|default|readOnly|writeOnly))$',
);

/** The first whose pattern matches the place of a difference judges it. What none judges is breaking. */
const rules: readonly (readonly [place: RegExp, rule: Rule])[] = [
  [/^securitySchemes \S+$/, (old) => (old === undefined ? undefined : 'breaking')],
  [/^x-error-codes( \S+)?$/, () => 'compatible'],
  [/(^| )(servers|codes|x-extensible-enum)( \S+)?$| responses default$/, removalBreaks],
  [
    / x-required-(permission|feature)$/,
    (old = null, current = null) => (old === current ? undefined : current === null ? 'compatible' : 'breaking'),
  ],
  [/ headers( \S+)?$/, (old) => (old === undefined ? 'compatible' : undefined)],
  [/ additionalProperties$/, additionalFields],
  ...Object.entries(bounds).map(([keyword, rule]) => [new RegExp(` ${keyword}$`), rule] as const),
  [toldByOasdiff, () => undefined],
];

/**
 * Judges changes that oasdiff does not: to servers, security schemes, permissions, features, error codes, the schemas
 * of headers, and some keywords of all schemas. Expects documents with resolved references.
 */
export function ownRules(before: Json, after: Json): Change[] {
  const [old, current] = [before, after].map(({ info: _info, tags: _tags, components, ...document }) =>
    comparable({ ...document, securitySchemes: object(components)['securitySchemes'] ?? {} }),
  );
  return [...differences(old, current, [])];
}

function* differences(old: Comparable, current: Comparable, keys: readonly string[]): Iterable<Change> {
  if (isDeepStrictEqual(old, current)) return;
  if (isObject(old) && isObject(current)) {
    for (const key of new Set([...Object.keys(old), ...Object.keys(current)]))
      yield* differences(old[key], current[key], [...keys, key]);
    return;
  }
  const place = keys.join(' ');
  const [, rule] = rules.find(([pattern]) => pattern.test(place)) ?? [];
  const severity = rule ? rule(old, current, / (parameters|requestBody) /.test(place)) : 'breaking';
  if (severity === undefined) return;
  const [, path, method, rest] = /^paths (\S+)(?: (?!parameters|servers)(\w+))? (.*)$/.exec(place) ?? [];
  const where = path === undefined ? 'the document' : [method?.toUpperCase(), path].filter(Boolean).join(' ');
  yield { severity, where, text: `${rest ?? place} ${changeOf(old, current)}` };
}

function changeOf(old: Comparable, current: Comparable): string {
  if (old === undefined) return isObject(current) ? 'is added' : `is added: ${JSON.stringify(current)}`;
  if (current === undefined) return isObject(old) ? 'is removed' : `is removed, which was ${JSON.stringify(old)}`;
  return `changed from ${JSON.stringify(old)} to ${JSON.stringify(current)}`;
}
