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

/** What a lenient server may take away at the end of an identifier, URL-encoded. */
const endings = ['%20', '%09', '%0A', '%00', '%C2%A0', '%E2%80%8B', '%2F', '%3Fx=1', '%23x', ';x=1', '.json', '.', '0'];

/** The nil UUID, and others whose version or variant is none. */
const uuids = ['00000000-0000-0000', 'ffffffff-ffff-ffff', '5b3c7f2e-9a41-11ee', '0190f3a2-7c4e-7d31'];

/** Texts that identify nothing, URL-encoded: words, numbers, wildcards, bytes that are no text, and attacks. */
const texts = [
  ...['1', '0', '-1', 'null', 'undefined', '%7Bid%7D', '__proto__', 'constructor'],
  ...[...uuids.map((id) => `${id}-b5ce-0d9a6e1f7c42`), '00000000-0000-0000-0000-000000000000'],
  ...['%00', '%25', '_', '*', '%F0%9F%98%80', '%EF%BC%91', '%E2%80%AE1', '%zz', '%', '%E0%A4%A', '%FF%FE', '%C0%AF'],
  ...["'%20OR%20'1'='1", "1'%20UNION%20SELECT%20NULL--", '1;DROP%20TABLE%20x', '..%2f..%2fetc%2fpasswd'],
  ...['..%5c..%5cwindows', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', 'x'.repeat(4000)],
  ...[...Array.from("-.~!$&'()+,;=:@`"), '%22', '%23', '%3F', '%5B', '%5C', '%7C'].map((first) => `${first}1`),
];

/** URL-encoded texts that identify nothing, derived from a valid identifier. */
export function malformedIdentifiers(valid: string): Record<string, string> {
  const last = valid.at(-1) === '0' ? '1' : '0';
  return {
    'last-letter-changed': valid.slice(0, -1) + last,
    'last-letter-cut': valid.slice(0, -1),
    'last-letter-any': `${valid.slice(0, -1)}_`,
    'last-letters-any': `${valid.slice(0, -1)}%25`,
    'first-part-alone': valid.slice(0, 8),
    'hyphens-cut': valid.replaceAll('-', '') === valid ? `${valid}-` : valid.replaceAll('-', ''),
    'in-braces': `%7B${valid}%7D`,
    urn: `urn:uuid:${valid}`,
    'space-before': `%20${valid}`,
    'list-of-two': `${valid},${valid}`,
    'doubly-encoded': `%25${valid.charCodeAt(0).toString(16)}${valid.slice(1)}`,
    ...Object.fromEntries(endings.map((ending) => [`followed by ${ending}`, valid + ending])),
    ...Object.fromEntries(texts.map((text) => [text.length > 100 ? 'long' : text, text])),
  };
}
