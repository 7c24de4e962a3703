import { describe, expect, test } from '@jest/globals';
import { matchOperation } from '../../../contract/document/index.ts';
import { readBody, valueOfForm } from '../../../contract/oracle/body.ts';
import type { MediaType, Schema, Parameter, ParameterStyle } from '../../../contract/document/model.ts';
import {
  textsOfParameter,
  valueOfParameter,
  valueOfText,
  parameterViolations,
} from '../../../contract/oracle/parameters.ts';
import { requestFaults } from '../../../contract/oracle/request.ts';
import { apiIn } from '../document/fixture.ts';

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
  const read = (text: string) => valueOfForm({ schema }, 'application/x-www-form-urlencoded', Buffer.from(text));
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

describe('a URL-encoded form whose fields are written in other ways', () => {
  const styles = { metadata: { style: 'deepObject', explode: true }, tags: { style: 'form', explode: false } } as const;
  const read = (text: string, metadata: Schema = { type: 'object', additionalProperties: { type: 'string' } }) => {
    const properties = { metadata, tags: { type: 'array', items: { type: 'integer' } } } satisfies Schema['properties'];
    return readAs('application/x-www-form-urlencoded', text, { schema: { properties }, styles });
  };
  test.each([
    ['metadata[colour]=red&metadata[size]=7', { metadata: { colour: 'red', size: '7' } }],
    ['tags=1,2&other[a]=b', { tags: [1, 2], 'other[a]': 'b' }],
    ['metadata={"a":1}', { metadata: { a: 1 } }],
    ['metadata=&metadata[a]=b', { metadata: ['', 'b'] }],
  ])('%s is an object', (text, value) => {
    expect(read(text)).toEqual(expect.objectContaining({ value }));
  });

  test('has the types of the fields within an object', () => {
    const metadata: Schema = { properties: { size: { type: 'integer' }, open: { type: 'boolean' } } };
    const value = { metadata: { size: 7, open: true } };
    expect(read('metadata[size]=7&metadata[open]=true', metadata)).toEqual(expect.objectContaining({ value }));
  });

  test.each<Schema>([
    { properties: { list: { type: 'array' } } },
    { properties: { inner: { type: 'object' } } },
    { type: 'object', additionalProperties: { type: 'object' } },
  ])('is not read if it has a field that has no such form: %j', (metadata) => {
    expect(read('metadata[list]=1', metadata)).toBeUndefined();
  });
});

describe('a multipart form', () => {
  const multipart = 'multipart/form-data; boundary=x';
  const read = (text: string, contentType = multipart) =>
    valueOfForm({ schema }, contentType, Buffer.from(text.replaceAll('\n', '\r\n')));
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
    ['without a declared boundary', '--x--', 'multipart/form-data'],
  ])('%s is malformed', (_name, text, contentType = multipart) => {
    expect(read(text, contentType)).toBeUndefined();
  });
});

test.each([
  ['text/plain', 'a', undefined],
  ['application/x-www-form-urlencoded', 'place=a', undefined],
  ['multipart/form-data; boundary=b', 'name=a', { rule: 'form' }],
])('the body of a request as %s %j is read as %j', (contentType, body, expected) => {
  expect(readAs(contentType, body, { schema })).toEqual(expected && expect.objectContaining(expected));
});

function readAs(contentType: string, text: string, media: Pick<MediaType, 'schema' | 'styles'>) {
  const content = { [contentType.replace(/;.*/, '')]: { ...media, examples: {}, partTypes: {} } };
  const documented = { description: '', content, required: true, maxBytes: 1000 };
  const headers = { 'content-type': [contentType] };
  return readBody(documented, { headers, bodyBytes: text.length, body: Buffer.from(text) });
}

const list: Schema = { type: 'array', items: { type: 'integer' } };

function parameter(
  schema: Schema,
  style: ParameterStyle,
  explode: boolean,
  place: Parameter['in'] = 'query',
): Parameter {
  return { name: 'id', in: place, description: '', required: false, style, explode, schema };
}

test.each<[type: Schema, text: string, value: unknown]>([
  [{ type: 'integer' }, '12', 12],
  [{ type: 'integer' }, '-1', -1],
  [{ type: 'integer' }, '1e1', '1e1'],
  [{ type: 'integer' }, '1.0', '1.0'],
  [{ type: 'integer' }, ' 5', ' 5'],
  [{ type: 'number' }, '-1.5e+3', -1500],
  [{ type: 'number' }, '.5', '.5'],
  [{ type: 'number' }, 'x1', 'x1'],
  [{ type: 'number' }, '1x', '1x'],
  [{ type: 'number' }, '1.', '1.'],
  [{ type: 'boolean' }, 'true', true],
  [{ type: 'boolean' }, 'false', false],
  [{ type: 'boolean' }, 'TRUE', 'TRUE'],
  [list, '1,2,x', [1, 2, 'x']],
  [{ type: 'array' }, '1,2', ['1', '2']],
  [{ type: 'string' }, '1,2', '1,2'],
])('a text of the schema %j: %s', (schema, text, value) => {
  expect(valueOfText(schema, text)).toEqual(value);
});

test.each<[sent: string[], parameter: Parameter, value: unknown]>([
  [['1', '2'], parameter(list, 'form', true), [1, 2]],
  [['1,2'], parameter(list, 'form', true), ['1,2']],
  [['1,2'], parameter(list, 'form', false), [1, 2]],
  [['1|2'], parameter(list, 'pipeDelimited', false), [1, 2]],
  [['1 2'], parameter(list, 'spaceDelimited', false), [1, 2]],
  [['1', '2'], parameter(list, 'form', false), ['1', '2']],
  [['1', '2'], parameter({ type: 'integer' }, 'form', true), ['1', '2']],
  [['1,2'], parameter({ type: 'string' }, 'form', true), '1,2'],
  [['1'], parameter({ type: 'integer' }, 'form', true), 1],
  [['a', 'b'], parameter({ type: 'array' }, 'form', true), ['a', 'b']],
])('the value of a parameter that is sent as: %j with %j', (texts, sent, value) => {
  expect(valueOfParameter(sent, texts)).toEqual(value);
});

test.each<[value: unknown, parameter: Parameter, texts: string[] | undefined]>([
  [[1, 2], parameter(list, 'form', true), ['1', '2']],
  [[1, 2], parameter(list, 'form', false), ['1,2']],
  [[1, 2], parameter(list, 'pipeDelimited', false), ['1|2']],
  [[1, 2], parameter(list, 'simple', true, 'header'), ['1', '2']],
  [[1, 2], parameter(list, 'simple', false, 'header'), ['1,2']],
  [5, parameter({ type: 'integer' }, 'simple', false, 'path'), ['5']],
  [true, parameter({ type: 'boolean' }, 'form', true, 'cookie'), ['true']],
  [[], parameter(list, 'form', true), undefined],
  [[1, {}], parameter(list, 'form', true), undefined],
  [[1], parameter({ type: 'string' }, 'form', true), undefined],
  [{ a: 1 }, parameter({ type: 'object' }, 'form', true), undefined],
  [null, parameter({ type: 'string' }, 'form', true), undefined],
  ['a', parameter({ type: 'string' }, 'simple', false), undefined],
  ['a', parameter({ type: 'string' }, 'form', false, 'path'), undefined],
  ['a', parameter({ type: 'string' }, 'form', false, 'header'), undefined],
  ['a', parameter({ type: 'string' }, 'label', false, 'path'), undefined],
])('the texts that a parameter is sent as: %j with %j', (value, sent, texts) => {
  expect(textsOfParameter(sent, value)).toEqual(texts);
});

const { operations } = apiIn(`
/lists/{list}/items/{item}:
  post:
    parameters:
      - { in: path, name: list, required: true, schema: { type: string, pattern: '^[a-z /%]+$' } }
      - { in: path, name: item, required: true, schema: &number { type: integer, minimum: 1 } }
      - { in: query, name: limit, schema: *number }
      - { in: query, name: state, required: true, schema: { type: array, items: { enum: [a, b] } } }
      - { in: query, name: where, style: deepObject, schema: { type: object, required: [x] } }
      - { in: header, name: X-Trace, required: true, schema: *number }
      - { in: cookie, name: session, required: true, schema: *number }
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [name]
            additionalProperties: false
            properties:
              name: { type: string }
              owner: { type: object, required: [id], properties: { id: *number } }
    responses: { 204: {} }
`);
const [operation] = operations;
if (!operation) throw new Error('There is no operation.');

const trace = { 'x-trace': ['7'] };

test.each<[path: string, headers: Record<string, string[]>, wrong: string]>([
  ['/lists/a/items/1?state=a&state=b', trace, ''],
  ['/lists/a%20%2Fb/items/1?state=a&where[x]=1&unknown=1', trace, ''],
  ['/lists/a%/items/1?state=a', trace, ''],
  ['/lists/A/items/0?state=c', trace, 'list, item, state'],
  ['/lists/a/items/1?limit=0&state=a', trace, 'limit'],
  ['/lists/a/items/1?limit=1&limit=2&state=a', trace, 'limit'],
  ['/lists/a/items/1?state=a?limit=0', trace, 'state'],
  ['/lists/a/items/1', trace, 'state is missing'],
  ['/lists/a/items/1?state=a', {}, 'X-Trace is missing'],
  ['/lists/a/items/1?state=a', { 'x-trace': ['0'] }, 'X-Trace'],
])('of the parameters of %s with %j are wrong: %s', (path, headers, wrong) => {
  const violations = parameterViolations(operation, path, headers);
  const told = violations.map(
    ({ parameter, message }) => `${parameter.name}${message.endsWith(' is missing') ? ' is missing' : ''}`,
  );
  expect(told.join(', ')).toBe(wrong);
  for (const { parameter, message } of violations)
    expect(message).toMatch(`the ${parameter.in} parameter ${parameter.name}`);
});

test.each<[path: string, body: string, faults: string]>([
  ['/lists/a/items/1?state=a', '{"name":"a"}', ''],
  ['/lists/a/items/0', '{"name":"a"}', 'item type, state required'],
  ['/lists/a/items/1', '{}', 'state required, name required'],
  ['/lists/a/items/1?state=a', '{"name":1,"more":1}', 'more additionalProperties, name type'],
  ['/lists/a/items/1?state=a', '{"name":"a","owner":{}}', 'owner/id required'],
  ['/lists/a/items/1?state=a', '{"name":"a","owner":{"id":0}}', 'owner/id minimum'],
  ['/lists/a/items/1?state=a', '{', 'undefined json'],
  ['/lists/a/items/1?state=a', '', 'undefined required'],
])('the faults of %s with the body %s: %s', (path, text, faults) => {
  const body = Buffer.from(text);
  const headers = { ...trace, 'content-type': ['application/json'] };
  const found = requestFaults(operation, { method: 'POST', path, headers, body, bodyBytes: body.length });
  expect(found.map(({ field, rule }) => `${field} ${rule}`).join(', ')).toBe(faults);
  for (const { message } of found) expect(message).not.toBe('');
});

const verbs = apiIn(`
/books/{book}:archive:
  post:
    parameters: [&book { in: path, name: book, required: true, schema: { type: string, pattern: '^[a-z]+$' } }]
    responses: { 204: {} }
/books/{book}/of/{first}-{last}:copy:
  post:
    parameters:
      - *book
      - { in: path, name: first, required: true, schema: { type: integer } }
      - { in: path, name: last, required: true, schema: { type: integer } }
    responses: { 204: {} }
`);

test.each([
  ['/books/a:archive', ''],
  ['/books/A:archive', 'book'],
  ['/books/a/of/1-2:copy', ''],
  ['/books/a/of/1-x:copy', 'last'],
])('the parameters of a path within its segments are wrong in %s: %s', (path, wrong) => {
  const matched = matchOperation(verbs, 'POST', path);
  const violations = matched && parameterViolations(matched, path, {});
  expect(violations?.map(({ parameter }) => parameter.name).join(', ')).toBe(wrong);
});
