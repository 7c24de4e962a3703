import { expect, test } from '@jest/globals';
import { TimeoutError } from '../../client/index.ts';
import { clientOf, failureOf } from '../support/client.ts';
import { json, serveHttp } from '../support/misbehaving-servers.ts';

const silent = () => undefined;
const never = new Promise<never>(() => undefined);

test('a call ends with a TimeoutError when its time is over', async () => {
  const url = await serveHttp(silent);
  const error = await failureOf(clientOf(url, { timeoutSeconds: 0.2 }).getVerificationSetting());
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ name: 'TimeoutError', operationId: 'getVerificationSetting', timeoutSeconds: 0.2 });
  expect((error as TimeoutError).requestId).toMatch(/^[\da-f-]{36}$/);
});

test('the time of a single call goes before that of the client', async () => {
  const url = await serveHttp(silent);
  const client = clientOf(url, { timeoutSeconds: 3600 });
  expect(await failureOf(client.getCase('1', { timeoutSeconds: 0.1 }))).toMatchObject({ timeoutSeconds: 0.1 });
  expect(await failureOf(client.getCase('1', { timeoutSeconds: 0 }))).toMatchObject({ name: 'TypeError' });
});

test('the time covers the body, the credential and a fetch that does not heed its signal', async () => {
  const url = await serveHttp((_request, response) => response.writeHead(200, json).write('{'));
  for (const options of [{}, { apiKey: () => never }, { fetch: () => never }]) {
    const client = clientOf(url, { ...options, timeoutSeconds: 0.2 });
    expect(await failureOf(client.getVerificationSetting())).toBeInstanceOf(TimeoutError);
  }
});

test('a caller ends a call with a reason of its own, and the connection with it', async () => {
  const controller = new AbortController();
  const reason = new Error('the user has left');
  let closed: () => void;
  const connectionClosed = new Promise<void>((resolve) => (closed = resolve));
  const url = await serveHttp((request) => {
    request.socket.on('close', () => {
      closed();
    });
    controller.abort(reason);
  });
  expect(await failureOf(clientOf(url).getCase('1', { signal: controller.signal }))).toBe(reason);
  await connectionClosed;
});

test('a caller ends the wait between two attempts for good', async () => {
  const controller = new AbortController();
  let attempts = 0;
  const accessToken = () => {
    attempts += 1;
    return 'an-access-token';
  };
  const url = await serveHttp((_request, response) => {
    response.writeHead(503, { 'Retry-After': '20' }).end();
    setTimeout(() => {
      controller.abort();
    }, 50);
  });
  const error = await failureOf(clientOf(url, { accessToken }).getCase('1', { signal: controller.signal }));
  expect(error).toMatchObject({ name: 'AbortError' });
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(attempts).toBe(1);
});

test('a call that is aborted from the start sends nothing', async () => {
  let attempts = 0;
  const url = await serveHttp(() => (attempts += 1));
  await failureOf(clientOf(url).getCase('1', { signal: AbortSignal.abort() }));
  expect(attempts).toBe(0);
});
