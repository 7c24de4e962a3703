import { describe, expect, test } from '@jest/globals';
import type { Schema } from '../../contract/document/index.ts';
import { mutationsOf } from '../../contract/dimensions/values.ts';
import { oracleOf } from '../../contract/oracle/schema.ts';
import { sampleOf } from '../../contract/dimensions/samples.ts';

const schema: Schema = {
  type: 'object',
  required: ['name', 'address', 'tags'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    status: { type: 'string', enum: ['open', 'closed'] },
    age: { type: 'integer', minimum: 0, maximum: 150, nullable: true, example: 7 },
    rate: { type: 'number', minimum: 0, exclusiveMinimum: true, multipleOf: 0.5, example: 1.5 },
    active: { type: 'boolean' },
    id: { type: 'string', format: 'uuid' },
    at: { type: 'string', format: 'date-time' },
    code: { type: 'string', pattern: '^[A-Z]{3}$', example: 'ABC' },
    unknown: { type: 'string', pattern: '(?!)' },
    contact: { oneOf: [{ type: 'string', format: 'email', example: 'a@b.example' }, { type: 'integer' }], example: 1 },
    tags: { type: 'array', minItems: 1, maxItems: 2, uniqueItems: true, items: { type: 'string', maxLength: 3 } },
    address: {
      type: 'object',
      required: ['street', 'town'],
      additionalProperties: false,
      properties: { street: { type: 'string' }, town: { type: 'string' }, free: { type: 'object' } },
    },
  },
};
const valid = { name: 'Anna', tags: ['a'], address: { street: 'Road', town: 'Town' } };
const mutations = new Map(mutationsOf(schema, valid).map((mutation) => [mutation.name, mutation]));
const faultsOf = oracleOf(schema);

const alternative = (name: string, kinds?: string[]): Schema => ({
  required: ['kind', name],
  properties: { kind: { type: 'string', ...(kinds && { enum: kinds }) } },
});
const discriminator = { propertyName: 'kind' };
const named = oracleOf({ oneOf: [alternative('a', ['x']), { allOf: [alternative('b', ['y', 'z'])] }], discriminator });
const unnamed = oracleOf({ oneOf: [alternative('a'), alternative('b')], discriminator });

test.each([
  [{ kind: 'x', a: 1 }, [], []],
  [{ kind: 'z' }, ['b'], ['']],
  [{ kind: 'w', a: 1 }, ['kind'], []],
  [{}, ['kind'], ['']],
  [null, [''], ['']],
])(
  'a union with a discriminator has for %j the faults of the schema chosen, if each lists its values',
  (value, faults, otherwise) => {
    expect([named(value), unnamed(value)]).toEqual([faults, otherwise]);
  },
);

/** Mutations by the place at which each is at fault, or sound. */
const at = (places: Readonly<Record<string, string>>) =>
  Object.entries(places).flatMap(([place, kinds]) =>
    kinds.split(' ').map((kind): [name: string, place: string] => [place === '' ? kind : `${place}.${kind}`, place]),
  );

const faulty: [name: string, faults: string[]][] = [
  ...at({
    '': 'null array as-json-string in-array nested-arrays',
    name: 'missing null integer in-array below-min-length above-max-length',
    status: 'enum-1-case enum-2-space string',
    age: 'as-string fraction below-minimum above-maximum',
    rate: 'minimum not-multiple',
    active: 'string-true zero integer empty-string',
    id: 'no-uuid-1 cut-short line-after',
    at: 'no-date-time-3',
    code: 'space-before',
    contact: 'array no-email-1',
    tags: 'below-min-items above-max-items repeated-item',
    'tags.0': 'null above-max-length',
    address: 'string',
    'address.street': 'missing object',
    'address.free': 'nested-arrays',
  }).map(([name, place]): [string, string[]] => [name, [place.replaceAll('.', '/')]]),
  ['object', ['name', 'address', 'tags']],
  ['name.renamed-Name', ['name', 'Name']],
  ['name.renamed-name(space)', ['name', 'name ']],
  ['all-missing', ['name', 'address', 'tags']],
  ['extra-field.unexpected', ['unexpected']],
  ['extra-field.null', ['unexpected']],
  ['extra-field.two', ['first', 'second~1~0']],
  ['extra-field.__proto__', ['__proto__']],
  ['extra-field.constructor', ['constructor']],
  ['extra-field.toString', ['toString']],
  ['extra-field.empty-name', ['/']],
  ['extra-field.NAME', ['NAME']],
  ['address.extra-field.__proto__', ['address/__proto__']],
];

const sound = at({
  name: 'min-length max-length max-length-astral',
  status: 'enum-1 enum-2',
  age: 'null minimum maximum',
  rate: 'above-minimum',
  active: 'true false',
  contact: 'integer',
  tags: 'min-items',
  'tags.0': 'max-length',
  'address.free': 'nested-objects',
}).map(([name]) => name);

describe('the mutations of a schema', () => {
  test.each(faulty)('%s is faulty in %j', (name, faults) => {
    expect(mutations.has(name)).toBe(true);
    expect(faultsOf(mutations.get(name)?.value).sort()).toEqual([...faults].sort());
  });

  test.each(sound)('%s is valid', (name) => {
    expect(mutations.has(name)).toBe(true);
    expect(faultsOf(mutations.get(name)?.value)).toEqual([]);
  });

  test('have names of their own, and leave the valid value as it is', () => {
    expect(mutations.size).toBe(mutationsOf(schema, valid).length);
    expect(faultsOf(valid)).toEqual([]);
  });

  test('say what they lack where the document gives no valid value', () => {
    expect([...mutations.values()].filter(({ lacks }) => lacks !== undefined)).toEqual([
      expect.objectContaining({ name: 'unknown.violations' }),
    ]);
  });
});

test.each<[string, Schema, unknown]>([
  [
    'of an object that needs a field, but no certain one',
    { type: 'object', minProperties: 1, properties: { id: { readOnly: true }, name: { type: 'string' } } },
    { name: 'a' },
  ],
  ['of an array with several items', { type: 'array', minItems: 2, items: { type: 'integer' } }, [1, 1]],
  ['of an array that may be empty', { type: 'array', minItems: 0, items: { type: 'integer' } }, [1]],
  ['of a number above a bound', { type: 'number', minimum: 0, exclusiveMinimum: true }, 1],
])('the value that stands for a missing example is valid: %s', (_name, each, sample) => {
  expect(sampleOf(each)).toEqual(sample);
  expect(oracleOf(each)(sample)).toEqual([]);
});
