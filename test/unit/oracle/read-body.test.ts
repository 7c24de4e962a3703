/** What the body of a request says: the object of a form, the value of JSON, or why it has none. */
import { expect, test } from '@jest/globals';
import type { MediaType } from '../../../contract/document/model.ts';
import { readBody } from '../../../contract/oracle/body.ts';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'integer' } } },
};
const media = { schema, examples: {}, partTypes: {} } as unknown as MediaType;
const unreadable = { ...media, schema: { type: 'object', properties: { owner: { type: 'object' } } } } as MediaType;
const urlEncoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data';
const part = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const read = (contentType: string, body: string, type = contentType, documented = media) =>
  readBody({ content: { [type]: documented }, required: true, maxBytes: 1000 } as Parameters<typeof readBody>[0], {
    headers: { 'content-type': [contentType] },
    bodyBytes: body.length,
    body: Buffer.from(body),
  });

test.each<[contentType: string, body: string, value: unknown]>([
  ['application/json', '{"name":"a"}', { name: 'a' }],
  [urlEncoded, 'name=a&tags=1&tags=2', { name: 'a', tags: [1, 2] }],
  [urlEncoded, 'name=a&name=b', { name: ['a', 'b'] }],
  [`${multipart}; boundary=b`, `${part('name', 'a')}${part('tags', '1')}--b--\r\n`, { name: 'a', tags: [1] }],
])('the %s %j is %j', (contentType, body, value) => {
  expect(read(contentType, body, contentType.replace(/;.*/, ''))).toMatchObject({ value });
});

test.each([
  ['application/json', '{', 'JSON'],
  [`${multipart}; boundary=b`, 'name=a', 'form'],
])('the %s %j has no value', (contentType, body, fault) => {
  expect(read(contentType, body, contentType.replace(/;.*/, ''))).toMatchObject({ fault });
});

test('a text, and a URL-encoded form with an object in a field, are not read', () => {
  expect(read('text/plain', 'a')).toBeUndefined();
  expect(read(urlEncoded, 'owner=a', urlEncoded, unreadable)).toBeUndefined();
});
