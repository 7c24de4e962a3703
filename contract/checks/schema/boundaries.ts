import type { Schema } from '../../document/model.ts';
import { type Mutation, wholeMutations } from './mutation.ts';

const notOfFormat: Record<string, readonly string[]> = {
  uuid: ['6f1c2a52-5a7e-4d0b-9c38', '6f1c2a525a7e4d0b9c381f4e8a7b2d10', 'zf1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10'],
  'date-time': ['2026-03-02', '2026-03-02T09:15:00', '2026-02-30T09:15:00Z', '2026-03-02T25:00:00Z', '1772442900'],
  date: ['2026-02-30', '02/03/2026', '2026-3-2', '2026-03-02T09:15:00Z'],
  email: ['name', 'name@', '@example.com', 'a b@example.com'],
  uri: ['example', '//example.com', 'https://a b/'],
  ipv4: ['192.0.2', '192.0.2.256', '2001:db8::1'],
  ipv6: ['192.0.2.1', '2001:db8::1::1'],
};

/** Values at, just inside and just outside every bound that the schema sets on a single value. */
export function boundaryMutations(schema: Schema, valid: unknown): Mutation[] {
  return [...enumMutations(schema), ...stringMutations(schema, valid), ...numberMutations(schema, valid)];
}

function enumMutations({ enum: values = [] }: Schema): Mutation[] {
  return values.flatMap((value, index) => {
    const names = { [`enum-${index + 1}`]: value };
    if (typeof value !== 'string') return wholeMutations(names);
    const swapped = value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
    return wholeMutations({ ...names, [`enum-${index + 1}-case`]: swapped, [`enum-${index + 1}-space`]: `${value} ` });
  });
}

function stringMutations({ type, minLength, maxLength, pattern, format }: Schema, valid: unknown): Mutation[] {
  if (type !== 'string') return [];
  const text = typeof valid === 'string' ? valid : 'a';
  const ofLength = (length: number) => text.slice(0, length).padEnd(length, 'a');
  return wholeMutations({
    ...(minLength !== undefined && { 'min-length': ofLength(minLength) }),
    ...(minLength !== undefined && minLength > 0 && { 'below-min-length': ofLength(minLength - 1) }),
    ...(maxLength !== undefined && {
      'max-length': ofLength(maxLength),
      'max-length-astral': '\u{1F600}'.repeat(maxLength),
      'above-max-length': ofLength(maxLength + 1),
    }),
    ...((pattern ?? format) !== undefined && {
      'space-before': ` ${text}`,
      'space-after': `${text} `,
      'line-after': `${text}\n`,
      'cut-short': text.slice(0, -1),
    }),
    ...Object.fromEntries(
      (notOfFormat[format ?? ''] ?? []).map((value, index) => [`no-${format}-${index + 1}`, value]),
    ),
  });
}

function numberMutations(schema: Schema, valid: unknown): Mutation[] {
  const { type, minimum, maximum } = schema;
  if (type !== 'integer' && type !== 'number') return [];
  const multipleOf = schema['multipleOf'] as number | undefined;
  const number = typeof valid === 'number' ? valid : (minimum ?? 1);
  const step = multipleOf ?? (type === 'integer' ? 1 : 0.001);
  return wholeMutations({
    'as-string': String(number),
    ...(type === 'integer' && { fraction: number + 0.5 }),
    ...(multipleOf !== undefined && { 'not-multiple': number + multipleOf / 2 }),
    ...(minimum !== undefined && {
      minimum,
      'above-minimum': minimum + step,
      'below-minimum': minimum - step,
    }),
    ...(maximum !== undefined && {
      maximum,
      'below-maximum': maximum - step,
      'above-maximum': maximum + step,
    }),
    ...(schema.format === 'int32' && { 'above-int32': 2 ** 31, 'below-int32': -(2 ** 31) - 1 }),
  });
}
