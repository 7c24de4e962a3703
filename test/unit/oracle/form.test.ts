import { describe, expect, test } from '@jest/globals';
import { readBody, valueOfForm } from '../../../contract/oracle/body.ts';
import type { MediaType, Schema } from '../../../contract/document/model.ts';

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

/** What the body of a request says: the object of a form, the value of JSON, or why it has none. */
describe('the body of a request', () => {
  const urlEncoded = 'application/x-www-form-urlencoded';
  const multipart = 'multipart/form-data; boundary=b';
  const { count, tags } = schema.properties ?? {};
  const plain = { type: 'object', properties: { count, tags } } as Schema;
  const read = (contentType: string, body: string, documented = plain) => {
    const media = { schema: documented, examples: {}, partTypes: {} } as unknown as MediaType;
    const content = { [contentType.replace(/;.*/, '')]: media };
    return readBody({ content, required: true, maxBytes: 1000 } as Parameters<typeof readBody>[0], {
      headers: { 'content-type': [contentType] },
      bodyBytes: body.length,
      body: Buffer.from(body),
    });
  };

  test.each([
    ['application/json', '{"count":1}', { value: { count: 1 } }],
    [urlEncoded, 'count=1', { value: { count: 1 } }],
    [multipart, '--b\r\nContent-Disposition: form-data; name="tags"\r\n\r\n1\r\n--b--\r\n', { value: { tags: [1] } }],
    ['application/json', '{', { fault: 'JSON' }],
    [multipart, 'name=a', { fault: 'form' }],
  ])('as %s %j is %j', (contentType, body, expected) => {
    expect(read(contentType, body)).toMatchObject(expected);
  });

  test('is not read if it is a text, or a URL-encoded form with an object in a field', () => {
    expect(read('text/plain', 'a')).toBeUndefined();
    expect(read(urlEncoded, 'place=a', schema)).toBeUndefined();
  });
});
