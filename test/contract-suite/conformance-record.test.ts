import { describe, expect, test } from '@jest/globals';
import { responseViolations } from '../../contract/oracle/response.ts';
import { runJudge } from '../../contract/own-api/response-rules.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { createConformanceRecord } from '../../contract/run/conformance.ts';
import type { CheckResult } from '../../contract/run/model.ts';
import { apiOf } from '../unit/document/fixture.ts';

const setting = '/organisations/features/verification';
const headers = { 'x-request-id': 'r', 'cache-control': 'no-store', 'content-type': 'application/json' };
const limits = { 'ratelimit-policy': '"credential";q=9;w=9', ratelimit: '"credential";r=8;t=9' };

type Exchange = [method: string, path: string, status: number, headers: object, text: string];

function recordOf(exchanges: Exchange[], onFailure?: Parameters<typeof createConformanceRecord>[2]) {
  const urls = { base_url: 'http://a.example', case_base_url: 'http://a.example' };
  const record = createConformanceRecord(ownDocument, urls, onFailure);
  for (const [method, path, status, received, text] of exchanges) {
    const response = { status, headers: { ...received }, text };
    const violations = responseViolations(method, path, response);
    record.note({ request: { method, path }, url: `http://a.example${path}`, response, violations });
  }
  return record.results();
}

const failed = (results: CheckResult[]) =>
  results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ check, failures, exchanges }) => [
      check.id,
      failures.map(({ message, count }) => `${message} (${count})`),
      exchanges,
    ]);

describe('what responses break of the document', () => {
  test('counts once for each operation, status and promise, with the shortest exchange, whichever comes first', () => {
    const results = recordOf([
      ['GET', setting, 200, { ...headers, ...limits }, '{"enabled":true}'],
      ['GET', `${setting}?long`, 200, headers, '{"enabled":1}'],
      ['GET', setting, 200, headers, '{"enabled":1}'],
      ['GET', '/nowhere', 404, { 'content-type': 'application/json' }, '{"error_code":"a.a","error_message":"b"}'],
    ]);
    expect(failed(results)).toEqual([
      [
        'conformance.getVerificationSetting.200.header.RateLimit-Policy',
        ['the header RateLimit-Policy is missing (2)'],
        3,
      ],
      ['conformance.getVerificationSetting.200.header.RateLimit', ['the header RateLimit is missing (2)'], 3],
      ['conformance.getVerificationSetting.200.body', ['the body/enabled must be boolean (2)'], 3],
      ['conformance.service.404.header.X-Request-Id', ['the header X-Request-Id is missing (1)'], 1],
      ['conformance.service.404.error-code', ['the error code a.a does not belong to the status 404 (1)'], 1],
    ]);
    const body = results.find(({ check }) => check.id === 'conformance.getVerificationSetting.200.body');
    expect(body?.failures[0]?.curl).toContain(`"http://a.example${setting}"`);
  });

  test('HEAD has the headers of GET, but for those that it may omit or that follow what is stored', () => {
    const judge = runJudge(ownDocument, {});
    const differing = (method: string, status: number, more: object) =>
      judge({ method, path: setting }, { status, text: '', headers: { ...headers, ...more } }).flatMap((violation) =>
        violation.rule === 'head' ? violation.message.replace(/^.* in /, '') : [],
      );
    expect(differing('GET', 401, { 'content-length': '90' })).toEqual([]);
    expect(differing('GET', 200, { 'content-length': '16' })).toEqual([]);
    expect(differing('HEAD', 200, { 'content-length': '17' })).toEqual([]);
    expect(differing('HEAD', 200, {})).toEqual([]);
    expect(differing('HEAD', 200, { 'content-length': '0' })).toEqual(['content-length']);
    expect(differing('HEAD', 200, { 'cache-control': 'public' })).toEqual(['cache-control']);
    expect(differing('HEAD', 401, { 'content-length': '91' })).toEqual(['content-length']);
  });
});

test('what was seen passes, promise by promise; a documented response that was not is one check that was not run', () => {
  const results = recordOf([['GET', setting, 200, { ...headers, ...limits }, '{"enabled":true}']]);
  const ofReading = results.filter(({ check }) => check.id.startsWith('conformance.getVerificationSetting.'));
  expect(ofReading.map(({ check, outcome }) => `${check.id.split('.').slice(2).join('.')} ${outcome}`)).toEqual([
    'status passed',
    '200.header.X-Request-Id passed',
    '200.header.Cache-Control passed',
    '200.header.RateLimit-Policy passed',
    '200.header.RateLimit passed',
    '200.media-type passed',
    '200.body passed',
    '401 not run',
    '403 not run',
    '429 not run',
    '500 not run',
    '503 not run',
  ]);
});

test('what no response was well-formed enough for is not run', () => {
  const html = { ...headers, ...limits, 'content-type': 'text/html' };
  const results = recordOf([['GET', setting, 401, html, '<p>']]);
  const outcomes = Object.fromEntries(results.map(({ check, outcome }) => [check.id, outcome]));
  expect(outcomes).toMatchObject({
    'conformance.getVerificationSetting.401.media-type': 'failed',
    'conformance.getVerificationSetting.401.body': 'not run',
    'conformance.getVerificationSetting.401.error-code': 'not run',
  });
});

test('each check tells of its first failure as it happens', () => {
  const told: string[] = [];
  const broken: Exchange = ['GET', setting, 200, { ...headers, ...limits }, '{}'];
  recordOf([broken, broken], ({ id }) => told.push(id));
  expect(told).toEqual(['conformance.getVerificationSetting.200.body']);
});

describe('a document of others', () => {
  const paths = { '/cases/{id}': { get: { operationId: 'getCase', security: [], responses: { '200': {} } } } };
  const options = { allowExtraFields: false, document: apiOf(paths) };

  test.each<[what: string, path: string, status: number]>([
    ['promises nothing of requests that call no operation', '/nowhere', 404],
    ['may name an operation as the own one is named', '/cases/1', 200],
  ])('%s', (_what, path, status) => {
    expect(responseViolations('GET', path, { status, headers: {}, text: '' }, options)).toEqual([]);
  });
});
