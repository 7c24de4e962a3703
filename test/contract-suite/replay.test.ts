import { describe, expect, test } from '@jest/globals';
import { ownDocument } from '../../contract/document/own-document.ts';
import type { HttpResponse, CheckContext, CheckResult, RequestSpec } from '../../contract/run/model.ts';
import { DocumentReplay } from '../../contract/replay/replay.ts';
import { replayCases as replayCasesOf, replayChecks } from '../../contract/plan/provoked.ts';
import { ReplayedResponse, toJsonSchema } from '../../contract/replay/replayed-response.ts';
import { optionsFor } from '../support/contract.ts';
import type { Transaction } from 'hooks';
import { apiOf } from '../unit/document/fixture.ts';

const replayCases = replayCasesOf(ownDocument);

const options = optionsFor('http://127.0.0.1:1', { owner_key: 'a-secret' });
const { target, client } = options;

function startReplay(stopAtFirstFailure = false) {
  const told: CheckResult[] = [];
  const replay = new DocumentReplay(replayCases, { ...options, stopAtFirstFailure }, (result) => told.push(result));
  return { replay, told };
}

function transactionOf(operationId: string, expectedStatus: string): Transaction {
  const { method = '', path = '' } =
    ownDocument.operations.find((operation) => operation.operationId === operationId) ?? {};
  return {
    id: 'as Dredd names it',
    request: { method: method.toUpperCase(), headers: {} },
    expected: { statusCode: expectedStatus, headers: { 'Content-Type': 'application/json', 'Retry-After': '5' } },
    origin: { resourceName: path },
  };
}

describe('a schema for Dredd', () => {
  const schema = ownDocument.schemas['FileSummary'] ?? {};

  test('is closed for a server that must send nothing else', () => {
    const closed = toJsonSchema(schema, true);
    expect(closed).toHaveProperty('additionalProperties', false);
    expect(closed).toHaveProperty('properties.analysis_status.enum');
    expect(closed).toHaveProperty('properties.analysis_completed_at.type', ['string', 'null']);
  });

  test('leaves room for a server that extends', () => {
    const open = toJsonSchema(schema, false);
    expect(open).not.toHaveProperty('additionalProperties');
    expect(open).not.toHaveProperty('properties.analysis_status.enum');
  });

  test('has no fraction that a number must be a multiple of', () => {
    const price = (multipleOf: number) => toJsonSchema({ type: 'number', multipleOf }, true);
    expect([price(0.01), price(5)]).toEqual([
      { $schema: expect.any(String), type: 'number' },
      expect.objectContaining({ multipleOf: 5 }),
    ]);
  });

  test('closes what a composed schema contains', () => {
    const closed = toJsonSchema({ allOf: [{ properties: { file: schema } }] }, true);
    expect(closed).toHaveProperty('allOf.0.properties.file.additionalProperties', false);
  });
});

describe('a replay', () => {
  test('fails what Dredd drops', () => {
    const { replay } = startReplay();
    const results = replay.conclude('Dredd has not replayed it');
    expect(results).toHaveLength(replayCases.length);
    const dropped = results.find(({ check }) => check.id === 'replay.getVerificationSetting.200');
    expect(dropped).toMatchObject({ outcome: 'failed', failures: [{ message: 'Dredd has not replayed it' }] });
  });

  test('fails what Dredd skips, but not what cannot be run', () => {
    const { replay, told } = startReplay();
    replay.emitter.emit('test skip', { title: 'getVerificationSetting.200', message: '' });
    replay.emitter.emit('test skip', { title: 'getCase.200', message: '' });
    expect(told).toMatchObject([
      { outcome: 'failed', failures: [{ message: 'Dredd has skipped it' }] },
      { outcome: 'not run', reason: 'missing: access_token, case_id' },
    ]);
  });

  test('fails what the document does not have', () => {
    const { replay } = startReplay();
    const transaction = transactionOf('getCase', '418');
    replay.beforeAll([transaction]);
    expect(transaction.fail).toBe('the document has no such response');
    replay.emitter.emit('test fail', {
      title: transaction.id,
      message: `Failed in before hook: ${transaction.fail ?? ''}`,
    });
    const results = replay.conclude('');
    expect(results).toHaveLength(replayCases.length + 1);
    const expected = { outcome: 'failed', failures: [{ message: 'the document has no such response' }] };
    expect(results[0]).toMatchObject(expected);
  });

  test('expects of the headers those that are required', () => {
    const { replay } = startReplay();
    const transaction = transactionOf('getVerificationSetting', '200');
    replay.beforeAll([transaction]);
    replay.before(transaction);
    expect(transaction.expected.headers).toEqual({ 'Content-Type': 'application/json' });
    expect(transaction.expected.bodySchema).toBeDefined();
  });

  test('leaves the rest not run after the first failure, if it is told so', () => {
    const { replay } = startReplay(true);
    const transaction = transactionOf('getVerificationSetting', '200');
    replay.beforeAll([transaction]);
    replay.emitter.emit('test error', new Error('no response for secret'), { title: 'updateVerificationSetting.401' });
    replay.before(transaction);
    expect(transaction.skip).toBe(true);
  });

  test('sends no example that Dredd has taken of an optional header parameter', async () => {
    const sent: RequestSpec[] = [];
    const send = (_url: string, request: RequestSpec) => {
      sent.push(request);
      return Promise.resolve({ status: 200, headers: {}, text: '' });
    };
    const optional = { name: 'If-None-Match', in: 'header', schema: { type: 'string' }, example: '"1"' };
    const document = apiOf({ '/status': { get: { security: [], parameters: [optional], responses: { '200': {} } } } });
    const [documented] = replayCasesOf(document);
    if (!documented) throw new Error('The document has no response.');
    const response = new ReplayedResponse(documented, { ...options, client: { ...client, send }, document });
    await response.send({ method: 'GET', headers: { 'If-None-Match': '"1"', 'User-Agent': 'Dredd' } });
    expect(sent).toMatchObject([{ headers: [['User-Agent', 'Dredd']] }]);
  });

  const body = '{"enabled":true}';
  const sentTo = async (status: number, text: string, mediaType = 'application/json') => {
    const documented = replayCases.find(({ label }) => label === 'getVerificationSetting.200');
    if (!documented) throw new Error('The document has no such response.');
    const headers = { 'content-type': mediaType, 'x-request-id': 'r' };
    const send = () => Promise.resolve({ status, headers, text });
    const response = new ReplayedResponse(documented, { ...options, client: { ...client, send } });
    return { response, real: await response.send({ method: 'GET', headers: {} }) };
  };

  test.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'application/json'])(
    'shows Dredd the media type without its charset: %s',
    async (mediaType) => {
      const { real } = await sentTo(200, body, mediaType);
      expect(real.headers['content-type']).toBe('application/json');
    },
  );

  const missing = "headers: At '/ratelimit' Missing required property: ratelimit";

  test.each<[what: string, status: number, text: string, verdict: string, left: string[]]>([
    ['a header', 200, body, missing, []],
    ['a header and a body', 200, '{}', `${missing}\nbody: At '/enabled' Missing required property: enabled`, []],
    ['a body that only Dredd refuses', 200, body, `${missing}\nbody: x`, ['body: x']],
    ['the rest of another response', 401, '{}', `${missing}\nbody: x\nstatusCode: 401`, ['statusCode: 401']],
  ])('leaves to the conformance checks what they count: %s', async (_what, status, text, verdict, left) => {
    const { outcome, failures } = (await sentTo(status, text)).response.result(verdict);
    expect(failures.map(({ message }) => message)).toEqual(left);
    expect(outcome).toBe(left.length > 0 ? 'failed' : 'passed');
  });

  test('names no secret', () => {
    const { replay, told } = startReplay();
    replay.emitter.emit('test error', new Error('no response for a-secret'), { title: 'getVerificationSetting.200' });
    expect(told[0]?.failures).toEqual([{ message: 'no response for $OWNER_KEY' }]);
  });
});

describe('the replay by the suite itself', () => {
  const context = (response: HttpResponse): CheckContext => ({
    credentials: target.credentials,
    operator: undefined,
    seed: 1,
    call: () => Promise.resolve(response),
    credential: () => '',
    tell: () => undefined,
  });
  const success = replayChecks(ownDocument)[0];

  test('fails a response of another status, and takes one for right that another server words differently', async () => {
    const refused = { status: 401, headers: {}, text: '{}' };
    await expect(success?.run(context(refused))).rejects.toThrow('expected status 200, got 401');
    await success?.run(context({ status: 200, headers: {}, text: '{"enabled":true}' }));
  });

  test('says of a response why nobody can provoke it', () => {
    const document = apiOf(
      { '/status': { get: { security: [], responses: { '200': {}, '503': {} } } } },
      { title: ownDocument.title },
    );
    expect(replayChecks(document).map(({ cannotRun }) => cannotRun)).toEqual([
      undefined,
      'cannot be provoked: a public operation that reads no credential cannot be made to fail',
    ]);
  });
});
