import { describe, expect, test } from '@jest/globals';
import { schemaViolations } from '../../../contract/oracle/schema.ts';
import type { Schema } from '../../../contract/document/index.ts';

const violations = (schema: Schema, value: unknown, open = false) => schemaViolations('it', schema, value, open);
const named: Schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
const sized: Schema = { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } };

describe('a schema that is composed of others', () => {
  const inner = { allOf: [{ required: ['id'] }, { anyOf: [named, sized] }], properties: { at: { type: 'object' } } };

  test.each<[keyword: string, schema: Schema, values: object[]]>([
    ['allOf', { allOf: [named, sized] }, [{ id: 'a', size: 1 }]],
    ['anyOf', { anyOf: [named, sized] }, [{ id: 'a' }, { size: 1 }, { id: 'a', size: 1 }]],
    ['oneOf', { oneOf: [named, sized] }, [{ id: 'a' }, { size: 1 }]],
    ['composed parts', inner, [{ id: 'a', at: { any: 1 } }]],
    ['not', { ...named, not: { required: ['at'] } }, [{ id: 'a' }]],
  ])('of %s accepts what its parts list and nothing else', (_keyword, schema, values) => {
    for (const value of values) {
      expect(violations(schema, value)).toEqual([]);
      expect(violations(schema, { ...value, other: 1 }).join()).toMatch(/\(other\)/);
      expect(violations(schema, { ...value, other: 1 }, true)).toEqual([]);
    }
  });

  test('accepts any property if one of the alternatives is any object', () => {
    expect(violations({ oneOf: [named, { type: 'object' }] }, { other: 1 })).toEqual([]);
  });

  test('accepts any property of an alternative that is elsewhere a part of all', () => {
    const free: Schema = { type: 'object' };
    const schema = { properties: { all: { allOf: [named, free] }, one: { oneOf: [sized, free] } } };
    expect(violations(schema, { all: { id: 'a' }, one: { other: 1 } })).toEqual([]);
    expect(violations(schema, { all: { id: 'a', other: 1 } }).join()).toMatch(/\(other\)/);
  });

  test('refuses unlisted properties within its parts', () => {
    const schema = { allOf: [{ properties: { part: named } }, sized] };
    expect(violations(schema, { size: 1, part: { id: 'a', other: 1 } })).toEqual([
      'it/part must NOT have additional properties (other)',
    ]);
  });
});

test('an object whose further properties have a schema refuses what that does not list', () => {
  const schema = { ...named, additionalProperties: sized };
  expect(violations(schema, { id: 'a', further: { size: 1 } })).toEqual([]);
  expect(violations(schema, { id: 'a', further: { size: 1, other: 1 } }).join()).toMatch(/\(other\)/);
});

test('a schema that contains itself is closed at every depth', () => {
  const folder: Schema = { type: 'object', properties: { name: { type: 'string' } } };
  Object.assign(folder.properties as object, { parent: folder, folders: { type: 'array', items: folder } });
  expect(violations(folder, { folders: [{ parent: { name: 'a' } }] })).toEqual([]);
  expect(violations(folder, { folders: [{ parent: { name: 1, other: 1 } }] })).toEqual([
    'it/folders/0/parent must NOT have additional properties (other)',
    'it/folders/0/parent/name must be string',
  ]);
});

test('the keywords that JSON Schema knows in another form mean what OpenAPI 3.0 says', () => {
  const ratio: Schema = { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, nullable: true };
  expect([null, 0, 0.5, 1, 1.5].map((value) => violations(ratio, value))).toEqual([
    [],
    ['it must be > 0'],
    [],
    [],
    ['it must be <= 1'],
  ]);
  expect(violations({ nullable: true, enum: ['a'] }, 'a')).toEqual([]);
});
