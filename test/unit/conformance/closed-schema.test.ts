import { expect, test } from '@jest/globals';
import { closedSchema } from '../../../contract/conformance/closed-schema.ts';

test('a closed schema refuses unlisted properties at every depth, unless they are allowed in so many words', () => {
  const inner = { type: 'object', properties: { a: { type: 'string' } } };
  const open = { type: 'object', properties: {}, additionalProperties: true };
  expect(closedSchema({ type: 'array', items: { type: 'object', properties: { inner, open } } })).toEqual({
    type: 'array',
    items: {
      type: 'object',
      properties: { inner: { ...inner, additionalProperties: false }, open },
      additionalProperties: false,
    },
  });
  expect(closedSchema({ type: 'object' })).toEqual({ type: 'object' });
});

test.each(['allOf', 'anyOf', 'oneOf', 'not'])('a schema with %s cannot be closed, at whatever depth', (keyword) => {
  expect(() => closedSchema({ properties: { a: { items: { [keyword]: [] } } } })).toThrow(
    `A schema with ${keyword} cannot be closed.`,
  );
});
