import { describe, expect, test } from '@jest/globals';
import { readBody, valueOfForm } from '../../../contract/oracle/body.ts';
import type { Schema } from '../../../contract/document/model.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'integer' } },
    place: { type: 'object' },
  },
  allOf: [{ properties: { open: { type: 'boolean' } } }],
};
// As an animal is a cat or a dog, and a cat is an animal with whiskers.
Object.assign(schema, { oneOf: [{ allOf: [schema] }] });

describe('a URL-encoded form', () => {
  const read = (text: string) => valueOfForm(schema, 'application/x-www-form-urlencoded', Buffer.from(text));
  test.each([
    ['count=7&open=true&other=a+b%26', { count: 7, open: true, other: 'a b&' }],
    ['tags=1', { tags: [1] }],
    ['tags=1&tags=b', { tags: [1, 'b'] }],
    ['count=1&count=2', { count: ['1', '2'] }],
    ['count=', { count: '' }],
  ])('%s is an object of the types that its schema has', (text, value) => {
    expect(read(text)).toEqual(value);
  });
});

describe('a multipart form', () => {
  const read = (text: string, contentType = 'multipart/form-data; boundary=x') =>
    valueOfForm(schema, contentType, Buffer.from(text.replaceAll('\n', '\r\n')));
  const part = (name: string, text: string, more = '') =>
    `--x\nContent-Disposition: form-data; name="${name}"${more}\n\n${text}\n`;

  test.each([
    [`${part('count', '7')}--x--\n`, { count: 7 }],
    [`a preamble\n${part('count', '7')}--x--\nan epilogue`, { count: 7 }],
    [`${part('tags', '1')}${part('tags', '2')}--x--`, { tags: [1, 2] }],
    [`${part('place', '{"a":[1]}')}--x--`, { place: { a: [1] } }],
    [`${part('place', 'here')}--x--`, { place: 'here' }],
    [`${part('naïve', 'Zoë\n\n--y', '; filename="a.png"\nContent-Type: image/png')}--x--`, { naïve: 'Zoë\r\n\r\n--y' }],
    ['--x\nContent-Disposition: form-data; filename="b"; name=count\n\n7\n--x--', { count: 7 }],
    ['--x--\n', {}],
  ])('%j is an object of the types that its schema has', (text, value) => {
    expect(read(text)).toEqual(value);
  });

  test.each([
    ['without an end', part('count', '7')],
    ['with a part without a name', '--x\nContent-Disposition: form-data\n\n7\n--x--'],
    ['with a part without an end of its head', '--x\nContent-Disposition: form-data; name="a"\n--x--'],
    ['without a part', 'junk'],
  ])('%s is malformed', (_name, text) => {
    expect(read(text)).toBeUndefined();
  });

  test('whose boundary is not declared is malformed', () => {
    expect(read('--x--', 'multipart/form-data')).toBeUndefined();
  });
});

test.each([
  ['text/plain', 'a', undefined],
  ['application/x-www-form-urlencoded', 'place=a', undefined],
  ['multipart/form-data; boundary=b', 'name=a', { rule: 'form' }],
])('the body of a request as %s %j is read as %j', (contentType, body, expected) => {
  const content = { [contentType.replace(/;.*/, '')]: { schema, examples: {}, partTypes: {} } };
  const documented = { description: '', content, required: true, maxBytes: 1000 };
  const headers = { 'content-type': [contentType] };
  const read = readBody(documented, { headers, bodyBytes: body.length, body: Buffer.from(body) });
  expect(read).toEqual(expected && expect.objectContaining(expected));
});
