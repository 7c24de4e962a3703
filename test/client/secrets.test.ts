import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { Credential } from '../../client/index.ts';
import { clientOf, failureOf } from '../support/client.ts';
import { cutOff, json, respondWith, serveBytes, serveHttp } from '../support/misbehaving-servers.ts';

const secret = 'dak_uk_THE-SECRET';
const told = (value: unknown) =>
  [inspect(value, { depth: Infinity, showHidden: true }), JSON.stringify(value), String((value as Error).stack)].join();
const refusal = JSON.stringify({ error_code: 'request.forbidden', error_message: 'No.' });

describe('a credential is not in what is thrown', () => {
  test.each([
    ['the service refuses', () => serveHttp(respondWith(403, json, refusal))],
    ['what responds is not the service', () => serveHttp(respondWith(502, json, 'no'))],
    ['the response is none of the service', () => serveHttp(respondWith(200, json, 'no'))],
    ['the connection fails', () => serveBytes(cutOff(''))],
    ['the time is over', () => serveBytes(() => undefined)],
  ])('when %s', async (_what, serve) => {
    const client = clientOf(await serve(), { apiKey: secret, retries: 0, timeoutSeconds: 1 });
    expect(told(await failureOf(client.getVerificationSetting()))).not.toContain(secret);
  });

  const unusable = [`${secret}\n`, `${secret}\r\nx-injected: 1`, `${secret} `, `${secret}…`, `\u0000${secret}`];
  test.each(unusable)('when it cannot stand in a header: %j', async (given) => {
    for (const apiKey of [given, () => given]) {
      const error = await failureOf(clientOf('http://a.example', { apiKey }).getVerificationSetting());
      expect(String(error)).toMatch(/^TypeError: apiKey must be printable ASCII without spaces/);
      expect(told(error)).not.toContain(secret);
    }
  });

  test('when it is in a base address', async () => {
    const error = await failureOf(Promise.resolve().then(() => clientOf(`https://user:${secret}@a.example`)));
    expect(String(error)).toContain('baseUrl must be');
    expect(told(error)).not.toContain(secret);
  });
});

test('a client that is printed shows no credential', () => {
  expect(told(clientOf('http://a.example', { apiKey: secret }))).not.toContain(secret);
});

test.each<[string, Credential | undefined]>([
  ['empty', ''],
  ['of a function that gives none', () => undefined as unknown as string],
])('a credential that is %s is asked for by its name', async (_name, apiKey) => {
  const error = await failureOf(clientOf('http://a.example', { apiKey }).getVerificationSetting());
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain('apiKey');
});

test.each([{}, { status: 503 }])('what a credential function throws ends the call, unchanged: %j', async (more) => {
  const error = Object.assign(new Error('the vault is sealed'), more);
  let asked = 0;
  const apiKey = () => {
    asked += 1;
    return Promise.reject(error);
  };
  expect(await failureOf(clientOf('http://a.example', { apiKey }).getVerificationSetting())).toBe(error);
  expect(asked).toBe(1);
});
