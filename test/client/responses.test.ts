import { expect, test } from '@jest/globals';
import { ConnectionError, isApiError, UnexpectedResponseError } from '../../client/index.ts';
import { clientOf, failureOf } from '../support/client.ts';
import { json, respondWith, serveBytes, serveHttp } from '../support/misbehaving-servers.ts';

const brewed = JSON.stringify({ error_code: 'request.brewed', error_message: 'Short and stout.' });

test('a code that the document does not list is an error like any other', async () => {
  const url = await serveHttp(respondWith(404, json, brewed));
  const error = await failureOf(clientOf(url).getCase('1'));
  expect(error).toMatchObject({ status: 404, code: 'request.brewed', details: undefined });
  expect(isApiError(error, 'getCase')).toBe(true);
});

test.each([
  ['a page with status 502', 502, { 'Content-Type': 'text/html' }, '<h1>Bad gateway</h1>'],
  ['JSON that is no error object', 500, json, '{"message": "no"}'],
  ['an empty error', 500, json, ''],
  ['a page in place of the result', 200, { 'Content-Type': 'text/html' }, '<h1>Sign in</h1>'],
  ['an empty success', 200, json, ''],
  ['a success without a body', 204, {}, ''],
])('%s is a response that is not of this API', async (_name, status, headers, body) => {
  const url = await serveHttp(respondWith(status, { ...headers, 'X-Request-Id': 'of-the-proxy' }, body));
  const error = await failureOf(clientOf(url).getCase('1'));
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error).toMatchObject({ name: 'UnexpectedResponseError', status, requestId: 'of-the-proxy' });
});

test('a redirect is not followed, so that no credential goes elsewhere', async () => {
  let calls = 0;
  const elsewhere = await serveHttp(() => (calls += 100));
  const redirecting = await serveHttp((_request, response) => {
    calls += 1;
    response.writeHead(302, { Location: `${elsewhere}/elsewhere` }).end();
  });
  const error = await failureOf(clientOf(redirecting).getVerificationSetting());
  expect(error).toMatchObject({ name: 'UnexpectedResponseError', status: 302 });
  expect(calls).toBe(1);
});

test.each([
  ['before its head', ''],
  ['within its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"enabled"'],
])(
  'a response that is cut off %s is a failed connection, and names the request as it was sent',
  async (_name, bytes) => {
    let sent = '';
    const url = await serveBytes((socket) =>
      socket.once('data', (head) => {
        sent = /^x-request-id: ([\da-f-]{36})\r$/im.exec(String(head))?.[1] ?? 'none';
        socket.end(bytes);
      }),
    );
    const error = await failureOf(clientOf(url, { retries: 0 }).getVerificationSetting());
    expect(error).toBeInstanceOf(ConnectionError);
    const facts = { name: 'ConnectionError', operationId: 'getVerificationSetting', requestId: sent };
    expect(error).toMatchObject({ ...facts, cause: expect.anything() });
  },
);
