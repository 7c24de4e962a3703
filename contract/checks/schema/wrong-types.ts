import { type Mutation, wholeMutations } from './mutation.ts';

const ofEachType = {
  null: null,
  true: true,
  false: false,
  zero: 0,
  integer: 1,
  number: 1.5,
  string: 'text',
  array: [],
  object: {},
};

const looksLikeType = {
  'empty-string': '',
  'string-true': 'true',
  'string-false': 'false',
  'string-null': 'null',
  'string-1': '1',
  'string-0': '0',
  'string-on': 'on',
  'string-yes': 'yes',
};

const depth = 1000;

/**
 * A value of each JSON type, strings that a lenient server may convert, and the valid value in other representations.
 */
export function typeMutations(valid: unknown): Mutation[] {
  return wholeMutations({
    ...ofEachType,
    ...looksLikeType,
    'as-json-string': JSON.stringify(valid),
    'in-array': [valid],
    'in-object': { value: valid },
    ...tooDeep,
  });
}

/** Made once: a document may have thousands of schemas. */
const tooDeep = {
  'nested-arrays': nested((inner) => [inner]),
  'nested-objects': nested((inner) => ({ a: inner })),
};

function nested(wrap: (inner: unknown) => unknown): unknown {
  return Array.from({ length: depth }).reduce<unknown>((inner) => wrap(inner), []);
}
