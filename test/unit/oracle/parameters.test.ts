import { expect, test } from '@jest/globals';
import { parameterViolations } from '../../../contract/oracle/parameters.ts';
import { requestFaults } from '../../../contract/oracle/request.ts';
import { apiOf } from '../document/fixture.ts';

const integer = { type: 'integer', minimum: 1 };
const content = {
  'application/json': {
    schema: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        owner: { type: 'object', required: ['id'], properties: { id: integer } },
      },
    },
  },
};
const { operations } = apiOf({
  '/lists/{list}/items/{item}': {
    post: {
      parameters: [
        { in: 'path', name: 'list', required: true, schema: { type: 'string', pattern: '^[a-z /%]+$' } },
        { in: 'path', name: 'item', required: true, schema: integer },
        { in: 'query', name: 'limit', schema: integer },
        { in: 'query', name: 'state', required: true, schema: { type: 'array', items: { enum: ['a', 'b'] } } },
        { in: 'query', name: 'where', style: 'deepObject', schema: { type: 'object', required: ['x'] } },
        { in: 'header', name: 'X-Trace', required: true, schema: integer },
        { in: 'cookie', name: 'session', required: true, schema: integer },
      ],
      requestBody: { required: true, content },
      responses: { '204': { description: 'Done.' } },
    },
  },
});
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
