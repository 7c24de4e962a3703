import { pathTextOf } from '../conformance/parameter-style.ts';
import { valueOfText } from '../conformance/text-value.ts';
import type { Parameter } from '../document/model.ts';
import { oracleOf } from './schema/oracle.ts';

/** Values that are likely to identify nothing. */
const unknownValues = ['ffffffff-ffff-4fff-8fff-ffffffffffff', 'nosuchthing9f3b', '2147483599', '99999', '999', 'zz'];

/** A URL-encoded identifier that is valid and probably unknown. */
export function unknownIdentifier(parameter: Parameter): string | undefined {
  const { schema } = parameter;
  // An enum, a constant or an array has no unknown value that can be guessed.
  if (schema.enum ?? schema['const'] ?? schema.items) return undefined;
  const isValid = oracleOf(schema);
  const known = [parameter.value, parameter.example, schema.example].map(String);
  return textOf(
    parameter,
    unknownValues.find((text) => !known.includes(text) && isValid(valueOfText(schema, text)).length === 0),
  );
}

/**
 * A URL-encoded identifier that is invalid; undefined if the schema allows any text, or restricts only its format other
 * than `uuid`.
 */
export function malformedIdentifier(parameter: Parameter): string | undefined {
  const { schema } = parameter;
  const isValid = oracleOf(schema.format === 'uuid' ? schema : { ...schema, format: 'any' });
  return textOf(
    parameter,
    ['not-a-value', '~'].find((text) => isValid(valueOfText(schema, text)).length > 0),
  );
}

function textOf(parameter: Parameter, text: string | undefined): string | undefined {
  return text === undefined ? undefined : pathTextOf(parameter, valueOfText(parameter.schema, text));
}
