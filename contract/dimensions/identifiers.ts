/** Identifiers of nothing: what no server stores, and what is malformed. */
import { oracleOf } from '../oracle/schema.ts';
import { pathTextOf, valueOfText } from '../oracle/parameters.ts';
import type { Operation, Parameter } from '../document/model.ts';

/** The operation's path parameters. */
export function identifierParametersOf({ parameters }: Operation): Parameter[] {
  return parameters.filter((parameter) => parameter.in === 'path');
}

const unknownValues = ['ffffffff-ffff-4fff-8fff-ffffffffffff', 'nosuchthing9f3b', '2147483599', '99999', '999', 'zz'];

/** A URL-encoded identifier that is valid and probably unknown. */
export function unknownIdentifier(parameter: Parameter): string | undefined {
  const { schema } = parameter;
  // An enum, a constant or an array has no unknown value that can be guessed.
  if (schema.enum ?? schema['const'] ?? schema.items) return undefined;
  const isValid = oracleOf(schema);
  const known = [parameter.value, parameter.example, schema.example].map(String);
  const isUnknown = (text: string) => !known.includes(text) && isValid(valueOfText(schema, text)).length === 0;
  return textOf(parameter, unknownValues.find(isUnknown));
}

/** A URL-encoded identifier that is invalid; undefined if the schema allows any text, or restricts only a format but `uuid`. */
export function malformedIdentifier(parameter: Parameter): string | undefined {
  const { schema } = parameter;
  const isValid = oracleOf(schema.format === 'uuid' ? schema : { ...schema, format: 'any' });
  const malformed = ['not-a-value', '~'].find((text) => isValid(valueOfText(schema, text)).length > 0);
  return textOf(parameter, malformed);
}

function textOf(parameter: Parameter, text: string | undefined): string | undefined {
  return text === undefined ? undefined : pathTextOf(parameter, valueOfText(parameter.schema, text));
}

/** URL-encoded texts that identify nothing, derived from a valid identifier. */
export function malformedIdentifiers(valid: string): Record<string, string> {
  const last = valid.at(-1) === '0' ? '1' : '0';
  return {
    'last-letter-changed': valid.slice(0, -1) + last,
    'last-letter-cut': valid.slice(0, -1),
    'letter-added': `${valid}0`,
    'hyphens-cut': valid.replaceAll('-', '') === valid ? `${valid}-` : valid.replaceAll('-', ''),
    'in-braces': `%7B${valid}%7D`,
    urn: `urn:uuid:${valid}`,
    'space-before': `%20${valid}`,
    'space-after': `${valid}%20`,
    'line-after': `${valid}%0A`,
    'nul-after': `${valid}%00`,
    'nul-alone': '%00',
    'slash-after': `${valid}%2F`,
    'semicolon-after': `${valid};x=1`,
    'extension-after': `${valid}.json`,
    'dot-after': `${valid}.`,
    'list-of-two': `${valid},${valid}`,
    'zero-width-after': `${valid}%E2%80%8B`,
    'doubly-encoded': `%25${valid.charCodeAt(0).toString(16)}${valid.slice(1)}`,
    number: '1',
    zero: '0',
    negative: '-1',
    null: 'null',
    undefined: 'undefined',
    'nil-uuid': '00000000-0000-0000-0000-000000000000',
    template: '%7Bid%7D',
    prototype: '__proto__',
    constructor: 'constructor',
    percent: '%25',
    underscore: '_',
    asterisk: '*',
    emoji: '%F0%9F%98%80',
    'full-width': '%EF%BC%91',
    'right-to-left': '%E2%80%AE1',
    'percent-malformed': '%zz',
    'percent-cut': '%',
    'percent-utf-8-cut': '%E0%A4%A',
    'percent-not-utf-8': '%FF%FE',
    'percent-overlong': '%C0%AF',
    'sql-or': `'%20OR%20'1'='1`,
    'sql-union': `1'%20UNION%20SELECT%20NULL--`,
    'sql-drop': `1;DROP%20TABLE%20x`,
    traversal: '..%2f..%2fetc%2fpasswd',
    'traversal-backslash': '..%5c..%5cwindows',
    markup: '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    long: 'x'.repeat(4000),
    ...Object.fromEntries([...Array.from(`-.~!$&'()+,;=:@`), ...encoded].map(startingWith)),
  };
}

const encoded = ['%22', '%23', '%3F', '%5B', '%5C', '%7C'];

function startingWith(character: string): [name: string, identifier: string] {
  const code = decodeURIComponent(character).charCodeAt(0).toString(16);
  return [`starting-with-${code}`, `${character}1`];
}
