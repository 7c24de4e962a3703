import { describe, expect, test } from '@jest/globals';
import { ownDocument } from '../../contract/document/own-document.ts';
import type { RequestSpec } from '../../contract/run/model.ts';
import { DocumentReplay } from '../../contract/replay/replay.ts';
import { replayCases as replayCasesOf, replayChecks } from '../../contract/plan/provoked.ts';
import { toJsonSchema } from '../../contract/replay/expectations.ts';
import { optionsFor } from '../support/contract.ts';
import type { RealResponse } from 'dredd/build/performRequest.js';
import type { Transaction } from 'hooks';
import type { SessionOptions } from '../../contract/run/session.ts';
import { apiOf } from '../unit/document/fixture.ts';

const replayCases = replayCasesOf(ownDocument);

const options = optionsFor('http://127.0.0.1:1', { owner_key: 'a-secret' });
const { client } = options;

function transactionOf(label: string, { operations } = ownDocument): Transaction {
  const [operationId, statusCode = ''] = label.split('.');
  const { method = '', path = '' } = operations.find((operation) => operation.operationId === operationId) ?? {};
  return {
    id: 'as Dredd names it',
    request: { method: method.toUpperCase(), headers: { 'If-None-Match': '"1"', 'User-Agent': 'Dredd' } },
    expected: { statusCode, headers: { 'Content-Type': 'application/json', 'Retry-After': '5' } },
    origin: { resourceName: path },
  };
}

describe('a schema for Dredd', () => {
  const schema = ownDocument.schemas['FileSummary'] ?? {};

  test('is closed for a server that must send nothing else, and leaves room for one that extends', () => {
    const [closed, open] = [toJsonSchema(schema, true), toJsonSchema(schema, false)];
    expect(closed).toHaveProperty('additionalProperties', false);
    expect(closed).toHaveProperty('properties.analysis_status.enum');
    expect(closed).toHaveProperty('properties.analysis_completed_at.type', ['string', 'null']);
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
});

describe('a replay', () => {
  const body = '{"enabled":true}';
  const read = 'replay.getVerificationSetting.200';
  const notReplayed = { run: () => Promise.reject(new Error('Dredd has not replayed it')) };

  /** Replays responses, of which each is this one and Dredd finds this; the others are not replayed. */
  async function replayed(
    labels: readonly string[],
    { status = 200, text = body, mediaType = 'application/json' } = {},
    found?: string | Error,
    more: Partial<SessionOptions> = {},
  ) {
    const sent: RequestSpec[] = [];
    const send = (_url: string, request: RequestSpec) => {
      sent.push(request);
      return Promise.resolve({ status, headers: { 'content-type': mediaType, 'x-request-id': 'r' }, text });
    };
    const replay = new DocumentReplay({ ...options, client: { ...client, send }, ...more }, () => undefined);
    const transactions = labels.map((label) => transactionOf(label, more.document));
    replay.beforeAll(transactions);
    const responses: RealResponse[] = [];
    for (const transaction of transactions) {
      await replay.before(transaction);
      if (transaction.fail === undefined && transaction.skip !== true) responses.push(await replay.response());
      const test = { title: transaction.id, message: transaction.fail ?? found ?? '' };
      if (found instanceof Error) replay.emitter.emit('test error', found, test);
      else replay.emitter.emit(test.message === '' ? 'test pass' : 'test fail', test);
    }
    return { results: await replay.conclude(notReplayed), transactions, responses, sent };
  }

  const resultOf = async (...of: Parameters<typeof replayed>) => {
    const { results } = await replayed(...of);
    return results.find(({ check }) => check.id === `replay.${of[0].at(-1) ?? ''}`);
  };

  test('passes what Dredd finds nothing wrong with, and fails what it drops', async () => {
    const { results } = await replayed(['getVerificationSetting.200']);
    expect(results).toHaveLength(replayCases.length);
    expect(results[0]).toMatchObject({ check: { id: read }, outcome: 'passed' });
    expect(results.find(({ check }) => check.id === 'replay.getVerificationSetting.401')).toMatchObject({
      outcome: 'failed',
      failures: [{ message: 'Dredd has not replayed it' }],
    });
  });

  test('fails what the document does not have', async () => {
    const { results, transactions } = await replayed(['getCase.418']);
    expect(results).toHaveLength(replayCases.length + 1);
    expect(results[0]).toMatchObject({
      check: { id: `replay.${transactions[0]?.id ?? ''}` },
      outcome: 'failed',
      failures: [{ message: 'the document has no such response' }],
    });
  });

  test('expects of the headers those that are required', async () => {
    const { transactions } = await replayed(['getVerificationSetting.200']);
    expect(transactions[0]?.expected.headers).toEqual({ 'Content-Type': 'application/json' });
    expect(transactions[0]?.expected.bodySchema).toBeDefined();
  });

  test('leaves the rest not run after the first failure, if it is told so', async () => {
    const labels = ['updateVerificationSetting.401', 'getVerificationSetting.200'];
    const result = await resultOf(labels, {}, new Error('no response'), { stopAtFirstFailure: true });
    expect(result).toMatchObject({ outcome: 'not run', reason: 'a check of this layer has failed' });
  });

  test('sends no example that Dredd has taken of an optional header parameter', async () => {
    const optional = { name: 'If-None-Match', in: 'header', schema: { type: 'string' }, example: '"1"' };
    const content = { 'application/json': {} };
    const get = { operationId: 'getStatus', security: [], parameters: [optional], responses: { '200': { content } } };
    const { sent } = await replayed(['getStatus.200'], {}, undefined, { document: apiOf({ '/status': { get } }) });
    expect(sent).toMatchObject([{ headers: [['User-Agent', 'Dredd']] }]);
  });

  test('shows Dredd the media type without its charset', async () => {
    const { responses } = await replayed(['getVerificationSetting.200'], {
      mediaType: 'application/json;charset="UTF-8"',
    });
    expect(responses[0]?.headers['content-type']).toBe('application/json');
  });

  const missing = "headers: At '/ratelimit' Missing required property: ratelimit";

  test.each<[what: string, status: number, text: string, verdict: string, left: string[]]>([
    ['a header', 200, body, missing, []],
    ['a header and a body', 200, '{}', `${missing}\nbody: At '/enabled' Missing required property: enabled`, []],
    ['a body that only Dredd refuses', 200, body, `${missing}\nbody: x`, ['body: x']],
    ['the rest of another response', 401, '{}', `${missing}\nbody: x\nstatusCode: 401`, ['statusCode: 401']],
  ])('leaves to the conformance checks what they count: %s', async (_what, status, text, verdict, left) => {
    const result = await resultOf(['getVerificationSetting.200'], { status, text }, verdict);
    expect(result?.failures.map(({ message }) => message)).toEqual(left);
    expect(result?.outcome).toBe(left.length > 0 ? 'failed' : 'passed');
  });
});

test('the replay by the suite itself says of a response why nobody can provoke it', () => {
  const document = apiOf(
    { '/status': { get: { security: [], responses: { '200': {}, '503': {} } } } },
    { title: ownDocument.title },
  );
  expect(replayChecks(document).map(({ cannotRun }) => cannotRun)).toEqual([
    undefined,
    'cannot be provoked: a public operation that reads no credential cannot be made to fail',
  ]);
});
