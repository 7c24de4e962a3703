/**
 * What is asked for: valid and invalid bodies at every bound of the schema, parameters, identifiers, and methods that read. Servers
 * of other APIs may be more lenient than their documents and know more than these say, so that they are asked only what every
 * server refuses, and each ask says which statuses the document has for it.
 */
import type { Parameter } from '../document/model.ts';
import { requiredFieldsOf } from '../document/schemas.ts';
import { contentOfType } from '../oracle/body.ts';
import { isObject } from '../oracle/json.ts';
import { unknownCaseId } from '../own-api/requests.ts';
import { type Baseline, type Changes, isSuccessOf } from '../plan/baseline.ts';
import { identifiersOf, type Scene } from '../plan/parameters.ts';
import type { CredentialName } from '../run/model.ts';
import { escapedNames, notJson, otherTypes, similarBodies } from './body-texts.ts';
import { type Ask, ask, type Documented } from './choice.ts';
import { identifierParametersOf, malformedIdentifier, malformedIdentifiers, unknownIdentifier } from './identifiers.ts';
import { parameterAsks } from './parameter-texts.ts';
import { mutationsOf, plainlyInvalidBodies } from './values.ts';

/** All that can be asked of an operation; the first is valid. */
export function asksOf(baseline: Baseline): Ask[] {
  const { operation, isOwn } = baseline;
  const headAsk = ask('with HEAD', () => ({ method: 'HEAD' }), { isTypical: true, source: 'decision' });
  return [
    ask('', () => ({}), { isTypical: true, ...(!isOwn && accepted(baseline)) }),
    ...(isOwn ? [] : [...withCharset(baseline), ...withLeast(baseline)]),
    ...(isOwn && operation.method === 'get' ? [headAsk] : []),
    ...(isOwn ? identifierAsks(baseline) : documentedIdentifierAsks(baseline)),
    ...parameterAsks(baseline),
    ...mutatedBodies(baseline),
    ...bodyTexts(baseline),
    ...mediaTypes(baseline),
    ...bodySizes(baseline),
  ];
}

/** What a valid request gets, for which the document alone can say. */
function accepted(baseline: Baseline): { documented: Documented } {
  const also = (status: number) => isSuccessOf(baseline, status);
  return { documented: { promise: 'success', statuses: [baseline.success], also } };
}

/** A charset has no effect on JSON (RFC 8259, section 11), and most clients send it. */
function withCharset(baseline: Baseline): Ask[] {
  const [[name, type] = ['', ';']] = baseline.json?.content ?? [];
  const content = [[name, `${type}; charset=utf-8`]] as const;
  // JSON:API forbids it.
  return type.includes(';') || type.includes('vnd.api+json')
    ? []
    : [ask('with a charset', () => ({ content }), accepted(baseline))];
}

/** The required fields of a body are enough. */
function withLeast(baseline: Baseline): Ask[] {
  const { schema = {}, valid, isGuessed, faultsOf } = baseline.json ?? {};
  const required = requiredFieldsOf(schema);
  // A server may refuse a change of nothing, but not fail.
  if (baseline.operation.method === 'patch' && required.length === 0 && faultsOf?.({}).length === 0) {
    const { statuses, ...documented } = accepted(baseline).documented;
    const either = { ...documented, statuses: [...statuses, ...baseline.refusals.invalid] };
    return [ask('without any field', () => ({ body: '{}' }), { documented: either })];
  }
  if (!isObject(valid) || isGuessed === true || required.length === 0) return [];
  const least = Object.fromEntries(Object.entries(valid).filter(([name]) => required.includes(name)));
  const isLess = Object.keys(least).length < Object.keys(valid).length && faultsOf?.(least).length === 0;
  const body = JSON.stringify(least);
  return isLess ? [ask('with the required fields alone', () => ({ body }), accepted(baseline))] : [];
}

type Asked = readonly [name: string, changes: Changes];

/**
 * Asks that are refused. Of another API, they are not asked if its document has no status for it.
 * @param typical which of them are typical, by name
 */
function refused(
  { isOwn }: Baseline,
  documented: Documented,
  asks: readonly Asked[],
  typical = /^$/,
  source: Ask['source'] = 'decision',
): Ask[] {
  if (!isOwn && documented.statuses.length === 0) return [];
  return asks.map(([name, changes]) =>
    ask(name, () => changes, isOwn ? { source, isTypical: typical.test(name) } : { documented }),
  );
}

const invalidBody = ({ refusals }: Baseline): Documented => ({ promise: 'body', statuses: refusals.invalid });

const typicalFaults = /([^.]+\.(missing|string|null|string-true)|extra-field\.(unexpected|two)| null| array)$/;

/** Says that of several items, one that is invalid is rejected, and the others are not. */
const itemByItem =
  /\b(item|row|line|entry|record)s?\b[^.]*\b(invalid|valid)\b[^.]*\b(rejected|skipped|reported|left out|result)|\bothers?\b[^.]*\bnevertheless\b/i;

/** A valid body of another value may break rules that a document of others cannot state, and its effects are not undone. */
function mutatedBodies(baseline: Baseline): Ask[] {
  const { json, form, isOwn } = baseline;
  const named = (name: string, body: string): Asked => [`with the body ${name}`, { body }];
  if (!isOwn) {
    const invalid = baseline.refusals.invalid.length === 0 ? [] : plainlyInvalidBodies(json ?? form);
    // Where each item has a result of its own, one that is invalid refuses that item alone.
    const { description, responses } = baseline.operation;
    const isEachForItself = responses['207'] !== undefined || itemByItem.test(description);
    const isOfItem = (name: string) => isEachForItself && /(^|\.)\d+(\.|$)/.test(name);
    const bodies = invalid.filter(({ name }) => !isOfItem(name)).map(({ name, text }) => named(name, text));
    return refused(baseline, invalidBody(baseline), bodies);
  }
  if (!json) return [];
  const fields = Object.entries((json.valid ?? {}) as Record<string, unknown>);
  const bodies = mutationsOf(json.schema, json.valid)
    .filter(({ lacks, value }) => lacks === undefined && value !== undefined)
    .map(({ name, value }) => ({ name, text: json.textOf(value), isValid: json.faultsOf(value).length === 0 }))
    .filter(({ text }) => json.fits(text));
  return [
    ...bodies.flatMap(({ name, text, isValid }) =>
      refused(baseline, invalidBody(baseline), [named(name, text)], isValid ? /./ : typicalFaults, 'interface'),
    ),
    ...fields.flatMap(([name, value]) =>
      Object.entries(similarBodies(name, value)).map(([what, body]) =>
        ask(`with ${what}${fields.length > 1 ? `, of ${name}` : ''}`, () => ({ body })),
      ),
    ),
  ];
}

/** What no server reads as JSON, even one that reads more than JSON (RFC 8259, section 9). */
const neverJson = ['truncated', 'first byte', 'word', 'xml', 'nested without end'];

const chunked = (content: NonNullable<Changes['content']>) => [...content, ['Transfer-Encoding', 'chunked'] as const];

function bodyTexts(baseline: Baseline): Ask[] {
  const { json, isOwn } = baseline;
  if (!json) return [];
  const texts = Object.entries(notJson(json.text))
    .filter(([name, body]) => isOwn || (neverJson.includes(name) && json.fits(body)))
    .map(([name, body]): Asked => [`with a body that is ${name}`, { body }]);
  const noLength = ['Content-Length', '0'] as const;
  const none: Asked[] = [
    ['without a body', { content: [noLength], body: undefined }],
    ['with an empty body', { content: [...json.content, noLength], body: undefined }],
  ];
  const invalid = [...texts, ...(isOwn || json.required ? none : [])];
  return [
    ...refused(baseline, invalidBody(baseline), invalid, /(truncated|two documents|empty body)$/),
    // Of this API, these are ways in which every body is sent.
    ...(isOwn || json.isGuessed
      ? []
      : [
          ask('with names written with escapes', () => ({ body: escapedNames(json.text) }), accepted(baseline)),
          ask('with a body in chunks', () => ({ content: chunked(json.content) }), accepted(baseline)),
        ]),
  ];
}

/** Media types that no server treats as JSON. */
const neverJsonTypes = ['text/plain', 'application/xml', 'application/octet-stream'];

function mediaTypes(baseline: Baseline): Ask[] {
  const { json, operation, isOwn, refusals } = baseline;
  if (!json) return [];
  const isDocumented = (type = '') => contentOfType(operation.requestBody?.content ?? {}, type) !== undefined;
  const types = Object.entries(otherTypes(json.text))
    .filter(([name, [[header]]]) => isOwn || (neverJsonTypes.includes(name) && !isDocumented(header?.[1])))
    .map(([name, [content, body]]): Asked => [`with a body of ${name}`, { body, content }]);
  if (isOwn)
    types.push([
      'with a large body of text/plain',
      { content: [['Content-Type', 'text/plain']], body: json.text.padEnd(20_000) },
    ]);
  const documented = { promise: 'media-type', statuses: refusals.mediaType } as const;
  return refused(baseline, documented, types, /of (text\/plain|no media type|gzip)$/);
}

/** Bodies on both sides of the bound. */
function bodySizes(baseline: Baseline): Ask[] {
  const { json, operation, isOwn } = baseline;
  const most = operation.requestBody?.maxBytes ?? Infinity;
  if (!json || most === Infinity || (!isOwn && !operation.responses['413'])) return [];
  const sized = (bytes: number) => ' '.repeat(Math.max(0, bytes - Buffer.byteLength(json.text))) + json.text;
  const of = (bytes: number, changes: Changes = { body: sized(bytes) }, how = ''): Asked => [
    `with a body of ${bytes} bytes${how}`,
    changes,
  ];
  const tooLarge = [
    ...[most + 1, 2 * most, isOwn ? 200_000 : 4 * most].map((bytes) => of(bytes)),
    of(most + 1, { body: 'x'.repeat(most + 1) }, ' that are not JSON'),
    ...(isOwn ? [of(2_000_000)] : []),
    of(most + 1, { body: sized(most + 1), wire: { chunked: { bytes: most } } }, ' in chunks'),
    of(most + 1, { body: sized(most + 1), wire: { expectContinue: '100-continue' } }, ' after Expect: 100-continue'),
  ];
  const [name, largest] = of(most);
  return [
    ask(name, () => largest, isOwn ? { source: 'decision' } : accepted(baseline)),
    ...refused(baseline, { promise: 'body-size', statuses: [413] }, tooLarge, new RegExp(`${most + 1} bytes$`)),
  ];
}

/** Of another API, identifiers that its document allows and nobody has given, and those that it forbids. */
function documentedIdentifierAsks(baseline: Baseline): Ask[] {
  const { operation, refusals } = baseline;
  // A request that changes something may create the resource, or find it already changed.
  const unknown = ['get', 'head'].includes(operation.method) ? refusals.unknown : [];
  const all = identifierParametersOf(operation);
  // What the last one belongs to, the caller may not use.
  const ofOwner = unknown.length > 0 && operation.responses['403'] ? [...unknown, 403] : unknown;
  return all.flatMap((parameter) =>
    refusedIdentifiers(baseline, parameter, parameter === all.at(-1) ? unknown : ofOwner),
  );
}

/**
 * An unknown identifier and a malformed one.
 * @param unknown the statuses of the unknown one
 * @param isNamed whether the names of the asks end with the identifier
 */
export function refusedIdentifiers(
  baseline: Baseline,
  parameter: Parameter,
  unknown: readonly number[],
  isNamed = true,
): Ask[] {
  const { name } = parameter;
  const { refusals } = baseline;
  const rows = [
    ['unknown', unknownIdentifier(parameter), unknown],
    ['malformed', malformedIdentifier(parameter), [...refusals.invalid, ...refusals.unknown]],
  ] as const;
  return rows.flatMap(([what, text, statuses]) => {
    if (text === undefined || statuses.length === 0) return [];
    const changes: Ask['changes'] = (context) => ({ path: baseline.path(context, { [name]: text }) });
    const asked = `of the ${what} ${name}${isNamed ? ` ${text}` : ''}`;
    return [ask(asked, changes, { documented: { promise: 'not-found', statuses } })];
  });
}

const spellings: readonly [name: string, spell: (id: string) => string][] = [
  [' in capitals', (id) => id.toUpperCase()],
  [' in mixed case', (id) => id.slice(0, 18).toUpperCase() + id.slice(18)],
  [', its hyphens percent-encoded', (id) => id.replaceAll('-', '%2D')],
  [', percent-encoded', (id) => `%${Buffer.from(id).toString('hex').match(/../g)?.join('%') ?? ''}`],
];

/** Identifiers of nothing, and of what belongs to somebody else. */
function identifierAsks(baseline: Baseline): Ask[] {
  const { operation, document } = baseline;
  if (operation.responses['404'] === undefined) return [];
  const known = identifiersOf(operation, document);
  const inPath = identifierParametersOf(operation);
  return inPath.flatMap(({ name }) => {
    const entry = known[name];
    const of = (what: string, text: (context: Scene) => string, more: Partial<Ask> = {}) =>
      ask(
        `of ${what}${inPath.length > 1 ? ` as ${name}` : ''}`,
        (context) => ({ path: baseline.path(context, { [name]: text(context) }) }),
        { source: 'decision', ...more },
      );
    const others: CredentialName[] = entry === 'case_id' ? ['empty_case_id', 'other_case_id'] : [];
    const spelt = (which: CredentialName) =>
      spellings.map(([spelling, spell]) =>
        of(`${which}${spelling}`, (context) => spell(context.credential(which)), { needs: [which] }),
      );
    return [
      of('an unknown identifier', () => unknownCaseId, { isTypical: true }),
      ...others.map((which) =>
        of(which, (context) => context.credential(which), { needs: [which], isTypical: true, source: 'interface' }),
      ),
      ...(entry ? [entry, ...others].flatMap(spelt) : []),
      ...Object.keys(malformedIdentifiers(unknownCaseId)).map((what) =>
        of(
          `an identifier that is ${what}`,
          (context) => malformedIdentifiers(entry ? context.credential(entry) : unknownCaseId)[what] ?? '',
          { needs: entry ? [entry] : [], isTypical: what === '1' },
        ),
      ),
    ];
  });
}
