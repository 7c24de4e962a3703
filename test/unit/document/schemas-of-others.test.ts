/** What documents of other APIs write in their schemas, parameters and extensions. */
import { expect, test } from '@jest/globals';
import { formBodyOf, otherBodyOf } from '../../../contract/plan/bodies.ts';
import { pairsOfParameter, pathTextOf } from '../../../contract/oracle/parameters.ts';
import { requestViolations } from '../../../contract/oracle/request.ts';
import { schemaViolations } from '../../../contract/oracle/schema.ts';
import type { Operation, ParameterStyle, Schema } from '../../../contract/document/model.ts';
import { inPlainForm } from '../../../contract/document/references.ts';
import { schemaForm } from '../../../contract/document/schemas.ts';
import { processorMilliseconds } from '../../support/process.ts';
import { apiIn, apiOf } from './fixture.ts';

const isValid = (schema: Schema, value: unknown) => schemaViolations('it', schema, value, true).length === 0;

const money: Schema = { type: 'number', multipleOf: 0.01 };
const composed: Schema = { nullable: true, allOf: [{ type: 'object', required: ['a'] }] };
test.each<[what: string, Schema, unknown, boolean]>([
  ['patterns that backtrack for ever are decided', { pattern: '^(([a-z])+.)+[A-Z]$' }, 'a'.repeat(60), false],
  ['patterns may have classes of Unicode', { pattern: '^\\p{L}+$' }, 'Zoë', true],
  ['patterns may have classes of Unicode', { pattern: '^\\p{L}+$' }, 'p{L}', false],
  ['one that is no regular expression of JavaScript allows everything', { pattern: '(?i)^a++$' }, 'anything', true],
  ...([19.99, 1234567.89] as const).map(
    (value) => ['a multiple of 0.01', money, value, true] as [string, Schema, number, boolean],
  ),
  ['no multiple of 0.01', money, 19.995, false],
  ['null is allowed beside a composition', composed, null, true],
  ['a composition counts beside null', composed, { a: 1 }, true],
  ['a composition counts beside null', composed, {}, false],
])('%s: %j with %j: %j', (_what, schema, value, expected) => {
  const decide = () => {
    expect(isValid(schema, value)).toBe(expected);
  };
  expect(processorMilliseconds(decide)).toBeLessThan(5_000);
});

test('the first items of a tuple have schemas of their own, and may contain the tuple', () => {
  const tuple: Record<string, unknown> = { type: 'array', items: false };
  tuple['prefixItems'] = [{ type: 'string' }, { anyOf: [{ type: 'null' }, tuple] }];
  const schema = schemaForm()(tuple);
  const values = [['a'], ['a', ['b', null]], [1], ['a', null, 'c'], ['a', [2]]];
  expect(values.map((value) => isValid(schema, value))).toEqual([true, true, false, false, false]);
});

test('a field that goes one way is not demanded of the other', () => {
  const { operations } = apiIn(`
/a:
  post:
    requestBody: &body
      content:
        application/json:
          schema:
            allOf:
              - { required: [id, name, secret] }
              - { properties: { id: { readOnly: true }, name: {}, secret: { writeOnly: true } } }
    responses: { 200: *body }
`);
  const [{ requestBody, responses } = {}] = operations;
  const demanded = (schema?: Schema) => (schema?.['allOf'] as Schema[] | undefined)?.[0]?.required;
  expect(demanded(requestBody?.content['application/json']?.schema)).toEqual(['name', 'secret']);
  expect(demanded(responses?.['200']?.content['application/json']?.schema)).toEqual(['id', 'name']);
});

test('references in extensions of others are no references; those of this project are', () => {
  const document = {
    'x-topics': [{ content: { $ref: 'guide.md' } }],
    'x-service-responses': { 404: { $ref: '#/a' } },
    a: { $ref: '#/b' },
  };
  expect(inPlainForm(document, '')).toEqual({ ...document, 'x-topics': [{ content: {} }] });
});

test.each<[ParameterStyle, boolean, unknown, string]>([
  ['simple', false, ['a', 'b c'], 'a,b%20c'],
  ['simple', true, { a: 1, b: 2 }, 'a=1,b=2'],
  ['label', false, ['a', 'b'], '.a,b'],
  ['label', true, ['a', 'b'], '.a.b'],
  ['label', true, { a: 1 }, '.a=1'],
  ['matrix', false, ['a', 'b'], ';id=a,b'],
  ['matrix', true, ['a', 'b'], ';id=a;id=b'],
  ['matrix', true, { a: 1, b: 2 }, ';a=1;b=2'],
])('in the path, the style %s (explode: %s) writes %j as %s', (style, explode, value, text) => {
  expect(pathTextOf({ name: 'id', style, explode }, value)).toBe(text);
});

test.each<[ParameterStyle, boolean, unknown, string | undefined]>([
  ['form', true, ['a', 'b'], 'id=a&id=b'],
  ['form', false, ['a', 'b'], 'id=a,b'],
  ['form', true, { a: 1, b: 2 }, 'a=1&b=2'],
  ['form', false, { a: 1, b: 2 }, 'id=a,1,b,2'],
  ['pipeDelimited', false, ['a', 'b'], 'id=a|b'],
  ['spaceDelimited', false, ['a', 'b'], 'id=a b'],
  ['deepObject', true, { a: 1, b: 2 }, 'id[a]=1&id[b]=2'],
  ['form', true, [{ a: 1 }], undefined],
])('in a query, the style %s (explode: %s) writes %j as %j', (style, explode, value, text) => {
  const pairs = pairsOfParameter({ name: 'id', style, explode }, value);
  expect(pairs?.map((pair) => pair.join('=')).join('&')).toBe(text);
});

test('credentials may stand in the query, in a cookie, or be a name and a password', () => {
  const scheme = (place: string) => ({ type: 'apiKey', in: place, name: 'key' });
  const basic = { type: 'http', scheme: 'Basic' };
  const paths = Object.fromEntries(
    ['query', 'cookie', 'basic'].map((name) => [`/${name}`, { get: { security: [{ [name]: [] }], responses: {} } }]),
  );
  const securitySchemes = { query: scheme('query'), cookie: scheme('cookie'), basic };
  const document = apiOf(paths, { components: { securitySchemes } });
  const faults = (path: string, headers = {}) =>
    requestViolations({ method: 'GET', path, headers, bodyBytes: 0, body: undefined }, document).map(
      ({ message }) => message,
    );
  expect(faults('/query')).toEqual(['the query parameter key is missing']);
  expect(faults('/query?key=a')).toEqual([]);
  expect(faults('/cookie', { cookie: ['other=1'] })).toEqual(['the cookie key is missing']);
  expect(faults('/cookie', { cookie: ['other=1; key=a'] })).toEqual([]);
  expect(faults('/basic', { authorization: ['Bearer a'] })).toEqual([
    'the header Authorization has not the form of the scheme basic',
  ]);
  expect(faults('/basic', { authorization: ['Basic YTpi'] })).toEqual([]);
});

test('a body may be a form or a text; an object of another media type cannot be made', () => {
  const operationOf = (content: object) => {
    const { operations } = apiOf({ '/a': { post: { requestBody: { content }, responses: {} } } });
    return operations[0] as Operation;
  };
  const bodyOf = (content: object) => formBodyOf(operationOf(content)) ?? otherBodyOf(operationOf(content));
  const example = { name: 'a b', tags: ['x', 'y'] };
  expect(bodyOf({ 'application/xml': { example }, 'application/x-www-form-urlencoded': { example } })).toMatchObject({
    text: 'name=a+b&tags=x&tags=y',
    content: [['Content-Type', 'application/x-www-form-urlencoded']],
    isGuessed: false,
  });
  const expected = { text: 'aa', isGuessed: true };
  expect(bodyOf({ 'text/plain': { schema: { type: 'string', minLength: 2 } } })).toMatchObject(expected);
  expect(bodyOf({ 'application/xml': { example } })).toBeUndefined();
});
