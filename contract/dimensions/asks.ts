/**
 * What is asked for: valid and invalid bodies at every bound of the schema, parameters, identifiers, and methods that read. Servers
 * of other APIs may be more lenient than their documents and know more than these say, so that they are asked only what every
 * server refuses, and each ask says which statuses the document has for it.
 */
import { contentOfType } from '../oracle/media-type.ts';
import type { Parameter } from '../document/model.ts';
import type { Baseline } from '../plan/baseline.ts';
import { isSuccessOf } from '../plan/expect.ts';
import { identifiersOf } from '../plan/parameters.ts';
import type { CheckContext, CredentialName } from '../run/model.ts';
import { type Ask, ask, type Documented } from './ask.ts';
import { likeTheField, notJson, otherTypes } from './body-texts.ts';
import { identifierParametersOf, malformedIdentifier, malformedIdentifiers, unknownIdentifier } from './identifiers.ts';
import { parameterAsks } from './parameter-texts.ts';
import { mutationsOf, plainlyInvalidBodies } from './values.ts';

type Context = Pick<CheckContext, 'credential'>;
type Changed = ReturnType<Ask['changes']>;

/** All that can be asked of an operation; the first is valid. */
export function asksOf(baseline: Baseline): Ask[] {
  const { operation, isOwn } = baseline;
  const headAsk = ask('with HEAD', () => ({ method: 'HEAD' }), { isTypical: true, source: 'decision' });
  return [
    ask('', () => ({}), { isTypical: true, ...(!isOwn && { documented: documentedSuccess(baseline) }) }),
    ...(isOwn && operation.method === 'get' ? [headAsk] : []),
    ...(isOwn ? identifierAsks(baseline) : documentedIdentifierAsks(baseline)),
    ...parameterAsks(baseline),
    ...mutatedBodies(baseline),
    ...bodyTexts(baseline),
    ...mediaTypes(baseline),
    ...bodySizes(baseline),
  ];
}

/** What a valid request gets. */
function documentedSuccess(baseline: Baseline): Documented {
  return { promise: 'success', statuses: [baseline.success], also: (status) => isSuccessOf(baseline, status) };
}

/** What is refused. Of another API, it is not asked if its document has no status for it. */
function refused(
  { isOwn }: Baseline,
  documented: Documented,
  name: string,
  changes: Changed,
  isTypical: boolean,
  source: Ask['source'] = 'decision',
): Ask[] {
  if (isOwn) return [ask(name, () => changes, { source, isTypical })];
  return documented.statuses.length === 0 ? [] : [ask(name, () => changes, { documented })];
}

const typicalFaults = /^([^.]+\.(missing|string|null|string-true)|extra-field\.(unexpected|two)|null|array)$/;

/** A valid body of another value may break rules that a document of others cannot state, and its effects are not undone. */
function mutatedBodies(baseline: Baseline): Ask[] {
  const { json, form, isOwn, refusals } = baseline;
  const invalid: Documented = { promise: 'body', statuses: refusals.invalid };
  const mutated = (name: string, body: string, isTypical = false) =>
    refused(baseline, invalid, `with the body ${name}`, { body }, isTypical, 'interface');
  if (!isOwn)
    return invalid.statuses.length === 0
      ? []
      : plainlyInvalidBodies(json ?? form).flatMap(({ name, text }) => mutated(name, text));
  if (!json) return [];
  const fields = Object.entries((json.valid ?? {}) as Record<string, unknown>);
  const mutations = mutationsOf(json.schema, json.valid)
    .filter(({ lacks, value }) => lacks === undefined && value !== undefined)
    .map(({ name, value }) => ({ name, text: json.textOf(value), faulty: json.faultsOf(value).length > 0 }))
    .filter(({ text }) => json.fits(text));
  return [
    ...mutations.flatMap(({ name, text, faulty }) => mutated(name, text, !faulty || typicalFaults.test(name))),
    ...fields.flatMap(([name, value]) =>
      Object.entries(likeTheField(name, value)).map(([what, body]) =>
        ask(`with ${what}${fields.length > 1 ? `, of ${name}` : ''}`, () => ({ body })),
      ),
    ),
  ];
}

/** What no server reads as JSON, even one that reads more than JSON (RFC 8259, section 9). */
const neverJson = ['truncated', 'first byte', 'word', 'xml', 'nested without end'];

function bodyTexts(baseline: Baseline): Ask[] {
  const { json, isOwn, refusals } = baseline;
  if (!json) return [];
  const invalid = (name: string, changes: Changed, isTypical = false) =>
    refused(baseline, { promise: 'body', statuses: refusals.invalid }, name, changes, isTypical);
  const texts = Object.entries(notJson(json.text));
  const telling = isOwn ? texts : texts.filter(([name, body]) => neverJson.includes(name) && json.fits(body));
  const escaped = json.text.replace(
    /"(\w)/g,
    (_all, letter: string) => `"\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const success = { documented: documentedSuccess(baseline) };
  return [
    ...telling.flatMap(([name, body]) =>
      invalid(`with a body that is ${name}`, { body }, /^(truncated|two documents)$/.test(name)),
    ),
    ...(isOwn || json.required
      ? [
          ...invalid('without a body', { content: [['Content-Length', '0']], body: undefined }),
          ...invalid(
            'with an empty body',
            { content: [...json.content, ['Content-Length', '0']], body: undefined },
            true,
          ),
        ]
      : []),
    // Of this API, these are ways in which every body is sent.
    ...(isOwn || json.isGuessed
      ? []
      : [
          ask('with names written with escapes', () => ({ body: escaped }), success),
          ask('with a body in chunks', () => ({ content: chunked(json.content) }), success),
        ]),
  ];
}

const chunked = (content: NonNullable<Changed['content']>) => [...content, ['Transfer-Encoding', 'chunked'] as const];

/** Media types that no server treats as JSON. */
const neverJsonTypes = ['text', 'xml', 'binary'];

function mediaTypes(baseline: Baseline): Ask[] {
  const { json, operation, isOwn, refusals } = baseline;
  if (!json) return [];
  const isDocumented = (type = '') => contentOfType(operation.requestBody?.content ?? {}, type) !== undefined;
  return Object.entries(otherTypes(json.text))
    .filter(([name, [[header]]]) => isOwn || (neverJsonTypes.includes(name) && !isDocumented(header?.[1])))
    .flatMap(([name, [content, body]]) =>
      refused(
        baseline,
        { promise: 'media-type', statuses: refusals.mediaType },
        `with a body of ${name}`,
        { body, content },
        /^(text|no media type|gzip)$/.test(name),
      ),
    );
}

/** Bodies on both sides of the bound. */
function bodySizes(baseline: Baseline): Ask[] {
  const { json, operation, isOwn } = baseline;
  const most = operation.requestBody?.maxBytes ?? Infinity;
  if (!json || most === Infinity || (!isOwn && !operation.responses['413'])) return [];
  const sized = (bytes: number) => ' '.repeat(Math.max(0, bytes - Buffer.byteLength(json.text))) + json.text;
  const tooLarge = (name: string, changes: Changed, isTypical = false) =>
    refused(baseline, { promise: 'body-size', statuses: [413] }, `with a body of ${name}`, changes, isTypical);
  const success = isOwn ? { source: 'decision' as const } : { documented: documentedSuccess(baseline) };
  const more = { body: sized(most + 1) };
  return [
    ask(`with a body of ${most} bytes`, () => ({ body: sized(most) }), success),
    ...tooLarge(`${most + 1} bytes`, more, true),
    ...tooLarge(`${most + 1} bytes that are not JSON`, { body: 'x'.repeat(most + 1) }),
    ...[2 * most, isOwn ? 200_000 : 4 * most].flatMap((bytes) => tooLarge(`${bytes} bytes`, { body: sized(bytes) })),
    ...(isOwn ? [] : tooLarge(`${most + 1} bytes in chunks`, { ...more, content: chunked(json.content) })),
  ];
}

/** Of another API, identifiers that its document allows and nobody has given, and those that it forbids. */
function documentedIdentifierAsks(baseline: Baseline): Ask[] {
  const { operation, refusals } = baseline;
  // A request that changes something may create the resource, or find it already changed.
  const unknown = ['get', 'head'].includes(operation.method) ? refusals.unknown : [];
  const of = ({ name }: Parameter, what: string, text: string | undefined, statuses: readonly number[]) =>
    text === undefined || statuses.length === 0
      ? []
      : [
          ask(`of the ${what} ${name} ${text}`, (context) => ({ path: baseline.path(context, { [name]: text }) }), {
            documented: { promise: 'not-found', statuses },
          }),
        ];
  return identifierParametersOf(operation).flatMap((parameter) => [
    ...of(parameter, 'unknown', unknownIdentifier(parameter), unknown),
    ...of(parameter, 'malformed', malformedIdentifier(parameter), [...refusals.invalid, ...refusals.unknown]),
  ]);
}

const unknown = '3f2b8c1e-7d64-4a90-b5ce-0d9a6e1f7c42';

/** Identifiers of nothing, and of what belongs to somebody else. */
function identifierAsks(baseline: Baseline): Ask[] {
  const { operation, document } = baseline;
  if (operation.responses['404'] === undefined) return [];
  const known = identifiersOf(operation, document);
  const inPath = identifierParametersOf(operation);
  return inPath.flatMap(({ name }) => {
    const entry = known[name];
    const of = (what: string, text: (context: Context) => string, more: Partial<Ask> = {}) =>
      ask(
        `of ${what}${inPath.length > 1 ? ` as ${name}` : ''}`,
        (context) => ({ path: baseline.path(context, { [name]: text(context) }) }),
        { source: 'decision', ...more },
      );
    const stored = (which: CredentialName, spell: (id: string) => string = (id) => id, spelling = '') =>
      of(`${which}${spelling}`, (context) => spell(context.credential(which)), {
        needs: [which],
        isTypical: spelling === '',
        ...(spelling === '' && { source: 'interface' as const }),
      });
    const valid = (context: Context) => (entry ? context.credential(entry) : unknown);
    const spellings: [string, (id: string) => string][] = [
      [' in capitals', (id) => id.toUpperCase()],
      [', percent-encoded', (id) => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`],
    ];
    const entries: CredentialName[] = entry === 'case_id' ? ['empty_case_id', 'other_case_id'] : [];
    return [
      of('an unknown identifier', () => unknown, { isTypical: true }),
      ...entries.map((each) => stored(each)),
      ...(entry === 'case_id'
        ? [entry, ...entries].flatMap((each) => spellings.map(([name_, spell]) => stored(each, spell, name_)))
        : []),
      ...Object.keys(malformedIdentifiers(unknown)).map((what) =>
        of(
          `an identifier that is ${what.replaceAll('-', ' ')}`,
          (context) => malformedIdentifiers(valid(context))[what] ?? '',
          { needs: entry ? [entry] : [], isTypical: what === 'number' },
        ),
      ),
    ];
  });
}
