import { pathTextOf } from '../conformance/parameter-style.ts';
import { valueOfText } from '../conformance/text-value.ts';
import type { Parameter } from '../document/model.ts';
import { oracleOf } from './schema/oracle.ts';

/** Values that are likely to identify nothing. */
const unknownValues = ['ffffffff-ffff-4fff-8fff-ffffffffffff', 'nosuchthing9f3b', '2147483599', '99999', '999', 'zz'];

/** A text, ready for a path, that is as the document says and is likely to identify nothing. */
export function unknownIdentifier(parameter: Parameter): string | undefined {
  const { schema } = parameter;
  // A list of values or an example of each leaves none that is unknown.
  if (schema.enum ?? schema['const'] ?? schema.items) return undefined;
  const isValid = oracleOf(schema);
  const known = [parameter.value, parameter.example, schema.example].map(String);
  return textOf(
    parameter,
    unknownValues.find((text) => !known.includes(text) && isValid(valueOfText(schema, text)).length === 0),
  );
}

/** A text, ready for a path, that is not as the document says; none if it allows any text, or says only how it is written. */
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
