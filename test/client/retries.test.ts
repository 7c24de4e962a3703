import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { UnexpectedResponseError } from '../../client/errors.ts';
import { readRetryAfter, withRetries } from '../../client/retry.ts';
import { clientOf, failureOf } from '../support/client.ts';
import { json, serveHttp } from '../support/misbehaving-servers.ts';
import { TimeoutError } from '../../client/index.ts';

const unavailable = JSON.stringify({ error_code: 'service.unavailable', error_message: 'Not now.' });

/** Responds to each attempt with the next of these, the last for ever: a status, `cut` or what the listener does. */
async function flaky(responses: (number | 'cut' | RequestListener)[], headers: Record<string, string> = {}) {
  const attempts: { atMilliseconds: number; headers: IncomingHttpHeaders }[] = [];
  const handler: RequestListener = (request, response) => {
    const next = responses[Math.min(attempts.length, responses.length - 1)];
    attempts.push({ atMilliseconds: performance.now(), headers: request.headers });
    request.resume();
    if (next === 'cut') request.destroy();
    else if (typeof next === 'function') next(request, response);
    else if (next === 200) response.writeHead(200, json).end('{"enabled":true}');
    else response.writeHead(next ?? 500, { ...json, ...headers }).end(unavailable);
  };
  return { attempts, url: await serveHttp(handler) };
}

afterEach(() => {
  jest.useRealTimers();
});

describe('an idempotent call is tried again', () => {
  test.each([[429], [503], ['cut' as const]])('after %s', async (trouble) => {
    const { attempts, url } = await flaky([trouble, trouble, 200]);
    expect(await clientOf(url).updateVerificationSetting({ enabled: true })).toEqual({ enabled: true });
    expect(attempts).toHaveLength(3);
    expect(new Set(attempts.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
  });

  test('not before the time that Retry-After states has passed', async () => {
    const { attempts, url } = await flaky([503, 200], { 'Retry-After': '1' });
    await clientOf(url).getVerificationSetting();
    const [first, second] = attempts;
    expect((second?.atMilliseconds ?? 0) - (first?.atMilliseconds ?? 0)).toBeGreaterThan(999);
  });

  test.each([0, 1])('as often as it was told (%i), and then fails with the last response', async (retries) => {
    const { attempts, url } = await flaky([429]);
    const error = await failureOf(clientOf(url, { retries }).getVerificationSetting());
    expect(error).toMatchObject({ name: 'ApiError', status: 429 });
    expect(attempts).toHaveLength(1 + retries);
  });

  test('with the credential that its function gives for each attempt', async () => {
    const { attempts, url } = await flaky([503, 200]);
    const secrets = ['first', 'second'];
    await clientOf(url, { apiKey: () => secrets.shift() ?? '' }).getVerificationSetting();
    expect(attempts.map(({ headers }) => headers['x-api-key'])).toEqual(['first', 'second']);
  });
});

describe('a call is not tried again', () => {
  test.each([[400], [401], [403], [404], [500], [502], [504]])('after %i', async (status) => {
    const { attempts, url } = await flaky([status]);
    expect(await failureOf(clientOf(url).getCase('1'))).toMatchObject({ status });
    expect(attempts).toHaveLength(1);
  });

  test.each([
    ['in seconds', () => '60'],
    ['as a date', () => new Date(Date.now() + 60_000).toUTCString()],
  ])('if its time ends before the wait of Retry-After, %s', async (_form, retryAfter) => {
    const { attempts, url } = await flaky([429], { 'Retry-After': retryAfter() });
    const error = await failureOf(clientOf(url).getVerificationSetting());
    expect(error).toMatchObject({ status: 429 });
    expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(30);
    expect(attempts).toHaveLength(1);
  });
});

test('an abort leaves no timer of the wait behind, which would keep a process alive', async () => {
  jest.useFakeTimers();
  const controller = new AbortController();
  const context = { operationId: 'getCase', requestId: '1' } as const;
  const postponed = new UnexpectedResponseError(context, { status: 503, retryAfterSeconds: 20 });
  const policy = { method: 'get', retries: 1, signal: controller.signal, deadline: Infinity };
  const failure = failureOf(withRetries(() => Promise.reject(postponed), policy));
  await jest.advanceTimersByTimeAsync(1);
  const waiting = jest.getTimerCount();
  controller.abort(new Error('enough'));
  expect(jest.getTimerCount()).toBe(waiting - 1);
  expect(await failure).toMatchObject({ message: 'enough' });
});

test.each([
  [null, undefined],
  ['', undefined],
  ['soon', undefined],
  ['0', 0],
  ['12', 12],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
])('Retry-After %j asks to wait %s s', (value, seconds) => {
  expect(readRetryAfter(value)).toBe(seconds);
});

const never = new Promise<never>(() => undefined);

test('a call ends with a TimeoutError when its time is over, which covers the body, the credential and a fetch that does not heed its signal', async () => {
  const url = await serveHttp((_request, response) => response.writeHead(200, json).write('{'));
  for (const options of [{}, { apiKey: () => never }, { fetch: () => never }]) {
    const error = await failureOf(clientOf(url, { ...options, timeoutSeconds: 0.2 }).getVerificationSetting());
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ name: 'TimeoutError', operationId: 'getVerificationSetting', timeoutSeconds: 0.2 });
    expect((error as TimeoutError).requestId).toMatch(/^[\da-f-]{36}$/);
  }
});

test('the time of a single call goes before that of the client', async () => {
  const client = clientOf(await serveHttp(() => undefined), { timeoutSeconds: 3600 });
  expect(await failureOf(client.getCase('1', { timeoutSeconds: 0.1 }))).toMatchObject({ timeoutSeconds: 0.1 });
  expect(await failureOf(client.getCase('1', { timeoutSeconds: 0 }))).toMatchObject({ name: 'TypeError' });
});

test('a caller ends a call with a reason of its own, and the connection with it', async () => {
  const controller = new AbortController();
  const reason = new Error('the user has left');
  const { promise: closed, resolve } = Promise.withResolvers<unknown>();
  const url = await serveHttp(({ socket }) => {
    socket.on('close', resolve);
    controller.abort(reason);
  });
  expect(await failureOf(clientOf(url).getCase('1', { signal: controller.signal }))).toBe(reason);
  await closed;
});

test('a caller ends the wait between two attempts for good', async () => {
  const controller = new AbortController();
  let attempts = 0;
  const accessToken = () => `access-token-${(attempts += 1)}`;
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
