import { expect, test } from '@jest/globals';
import { operationsOfPath } from '../../../contract/document/index.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import type { ReceivedRequest } from '../../../contract/oracle/messages.ts';
import { requestViolations } from '../../../contract/oracle/request.ts';
import { settingPath } from '../../support/harness.ts';

const key = { 'x-api-key': ['any'] };
const json = { 'content-type': ['application/json'] };

function violationsOf(
  request: Partial<Omit<ReceivedRequest, 'body'>> & { body?: string | Buffer },
): [string, string][] {
  const body = Buffer.from(request.body ?? '');
  const received = { method: 'PUT', path: settingPath, headers: { ...key, ...json }, bodyBytes: body.length };
  return requestViolations({ ...received, ...request, body }).map(({ rule, message }) => [rule, message]);
}

const enabled = '{"enabled":true}';
type Given = Parameters<typeof violationsOf>[0];
const withKeys = (...keys: string[]): Given => ({ body: enabled, headers: { ...json, 'x-api-key': keys } });
const typed = (...types: string[]): Given => ({ body: enabled, headers: { ...key, 'content-type': types } });
const withToken = (token: string): Given => ({ method: 'GET', path: '/cases/1', headers: { authorization: [token] } });

test.each<[string, Given]>([
  ['an update with a charset', typed('APPLICATION/json;charset="UTF-8"')],
  ['a case, the scheme in any case', withToken('bearer  x')],
])('a request that conforms breaks nothing: %s', (_name, request) => {
  expect(violationsOf(request)).toEqual([]);
});

const methodsOfCase = operationsOfPath(ownDocument, '/cases/1').map(({ method }) => method.toUpperCase());
const otherMethod: Given = { method: 'PROPFIND', path: '/cases/1' };
const coded: Given = { body: enabled, headers: { ...key, ...json, 'content-encoding': ['gzip'] } };

test.each<[rule: string, message: string, Given]>([
  ['path', 'no operation has this path', { path: `${settingPath}/` }],
  ['method', `the path has no such method; it has ${methodsOfCase.join(', ')}`, otherMethod],
  ['credential', 'the header x-api-key is missing', { body: enabled, headers: json }],
  ['credential', 'the header x-api-key is empty', withKeys('')],
  ['credential', 'the header x-api-key is sent more than once', withKeys('a', 'b')],
  ['credential', 'the header Authorization has not the form of the scheme bearer', withToken('Bearer ')],
  ['body', 'the operation takes no body', { method: 'GET', body: enabled }],
  ['body', 'the body is missing', {}],
  ['body', 'the body is not JSON', { body: '{' }],
  ['body', 'the body is not JSON', { body: Buffer.from('{"enabled":true,"\xff":1}', 'latin1') }],
  ['body', 'the body must be object', { body: '[]' }],
  ['body', 'the body/enabled must be boolean', { body: '{"enabled":"true"}' }],
  ['body', 'the body is larger than 16384 bytes', { body: enabled + ' '.repeat(16_384) }],
  ['media type', 'the body has no media type', { body: enabled, headers: key }],
  ['media type', 'the media type text/json is not documented', typed('text/json')],
  ['media type', 'the media type of the body is malformed', typed('json')],
  ['media type', 'the charset of the body is not UTF-8', typed('application/json; charset=latin1')],
  ['media type', 'the header Content-Type is sent more than once', typed('application/json', 'text/json')],
  ['media type', 'the body has a content coding', coded],
])('a request that breaks the contract breaks: %s: %s', (rule, message, request) => {
  expect(violationsOf(request)).toEqual([[rule, message]]);
});

test('a request that breaks the contract breaks several promises at once, each told', () => {
  expect(violationsOf({ headers: json, body: '{"force":1}' })).toEqual([
    ['credential', 'the header x-api-key is missing'],
    ['body', "the body must have required property 'enabled'"],
    ['body', 'the body must NOT have additional properties (force)'],
  ]);
});

test('of a body that was not kept, the size alone is checked', () => {
  const request = { method: 'PUT', path: settingPath, headers: { ...key, ...json }, body: undefined };
  expect(requestViolations({ ...request, bodyBytes: 16_384 })).toEqual([]);
  expect(requestViolations({ ...request, bodyBytes: 16_385 })).toHaveLength(1);
});
