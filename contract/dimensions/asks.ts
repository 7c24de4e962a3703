/** What is asked for: valid and invalid bodies at every bound of the schema, identifiers, and methods that read. */
import type { Baseline, Changes } from '../checks/baseline.ts';
import type { JsonBody } from '../checks/json-body.ts';
import { malformedIdentifiers } from '../checks/malformed-identifiers.ts';
import { identifiersOf } from '../checks/parameters.ts';
import { mutationsOf } from '../checks/schema/mutations.ts';
import type { CheckContext, CredentialName, Source } from '../run/model.ts';
import { likeTheField, notJson, otherTypes } from './body-texts.ts';

/** Something that a caller of an operation asks for. */
export interface Ask {
  readonly name: string;
  readonly source: Source;
  readonly needs: readonly CredentialName[];
  readonly changes: (context: Pick<CheckContext, 'credential'>) => Changes;
  /** Whether every caller asks for it, and in every way. */
  readonly isTypical: boolean;
}

const ask = (
  name: string,
  changes: Ask['changes'],
  more: Partial<Pick<Ask, 'source' | 'needs' | 'isTypical'>> = {},
): Ask => ({ name, changes, source: 'interface', needs: [], isTypical: false, ...more });

/** All that can be asked of an operation; the first is valid. */
export function asksOf(baseline: Baseline): Ask[] {
  const { operation, json } = baseline;
  return [
    ask('', () => ({}), { isTypical: true }),
    ...(operation.method === 'get'
      ? [ask('with HEAD', () => ({ method: 'HEAD' }), { isTypical: true, source: 'decision' })]
      : []),
    ...identifierAsks(baseline),
    ...(json && operation.requestBody ? bodyAsks(json, operation.requestBody.maxBytes) : []),
  ];
}

const typicalFaults = /^([^.]+\.(missing|string|null|string-true)|extra-field\.(unexpected|two)|null|array)$/;

function bodyAsks(json: JsonBody, maxBytes: number): Ask[] {
  const sent =
    (body: string | Buffer, content = json.content): Ask['changes'] =>
    () => ({ body, content });
  const fields = Object.entries((json.valid ?? {}) as Record<string, unknown>);
  const mutations = mutationsOf(json.schema, json.valid)
    .filter(({ lacks, value }) => lacks === undefined && value !== undefined)
    .map(({ name, value }) => ({ name, text: json.textOf(value), faulty: json.faultsOf(value).length > 0 }))
    .filter(({ text }) => json.fits(text));
  return [
    ...mutations.map(({ name, text, faulty }) =>
      ask(`with the body ${name}`, sent(text), { isTypical: !faulty || typicalFaults.test(name) }),
    ),
    ...fields.flatMap(([name, value]) =>
      Object.entries(likeTheField(name, value)).map(([what, text]) =>
        ask(`with ${what}${fields.length > 1 ? `, of ${name}` : ''}`, sent(text)),
      ),
    ),
    ...Object.entries(notJson(json.text)).map(([name, body]) =>
      ask(`with a body that is ${name}`, sent(body), {
        source: 'decision',
        isTypical: /^(truncated|two documents)$/.test(name),
      }),
    ),
    ask('without a body', () => ({ content: [['Content-Length', '0']], body: undefined }), { source: 'decision' }),
    ask('with an empty body', () => ({ content: [...json.content, ['Content-Length', '0']], body: undefined }), {
      source: 'decision',
      isTypical: true,
    }),
    ...Object.entries(otherTypes(json.text)).map(([name, [content, body]]) =>
      ask(`with a body of ${name}`, sent(body, content), {
        source: 'decision',
        isTypical: /^(text|no media type|gzip)$/.test(name),
      }),
    ),
    ...(maxBytes === Infinity
      ? []
      : [
          ask(`with a body of ${maxBytes} bytes`, sent(json.text.padStart(maxBytes)), { source: 'decision' }),
          ...[maxBytes + 1, 2 * maxBytes, 200_000].map((bytes) =>
            ask(`with a body of ${bytes} bytes`, sent(json.text.padStart(bytes)), {
              source: 'decision',
              isTypical: bytes === maxBytes + 1,
            }),
          ),
        ]),
  ];
}

const unknown = '3f2b8c1e-7d64-4a90-b5ce-0d9a6e1f7c42';

/** Identifiers of nothing, and of what belongs to somebody else. */
function identifierAsks(baseline: Baseline): Ask[] {
  const { operation, isOwn, document } = baseline;
  if (!isOwn || operation.responses['404'] === undefined) return [];
  const known = identifiersOf(operation, document);
  const inPath = operation.parameters.filter(({ in: place }) => place === 'path');
  return inPath.flatMap(({ name }) => {
    const entry = known[name];
    const of = (what: string, text: (context: Pick<CheckContext, 'credential'>) => string, more: Partial<Ask> = {}) =>
      ask(
        `of ${what}${inPath.length > 1 ? ` as ${name}` : ''}`,
        (context) => ({ path: baseline.path(context, { [name]: text(context) }) }),
        {
          source: 'decision',
          ...more,
        },
      );
    const stored = (which: CredentialName, spell: (id: string) => string = (id) => id, spelling = '') =>
      of(`${which}${spelling}`, (context) => spell(context.credential(which)), {
        needs: [which],
        isTypical: spelling === '',
      });
    const valid = (context: Pick<CheckContext, 'credential'>) => (entry ? context.credential(entry) : unknown);
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
          {
            needs: entry ? [entry] : [],
            isTypical: what === 'number',
          },
        ),
      ),
    ];
  });
}
