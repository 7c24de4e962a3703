import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { describe, expect, jest, test } from '@jest/globals';
import { createServer } from '../../../src/http/server.js';

/** Tells the server of a fault on a connection, and returns what it did to that. */
function afterClientError(code: string | undefined, connection: object = {}) {
  const socket = { writable: true, destroy: jest.fn(), end: jest.fn<(answer: string) => void>(), ...connection };
  const error = Object.assign(new Error('fault'), code === undefined ? {} : { code });
  createServer(() => undefined).emit('clientError', error, socket as unknown as Duplex);
  return { destroyed: socket.destroy.mock.calls.length, answers: socket.end.mock.calls.map(([answer]) => answer) };
}

test('a client may take 15 seconds for its headers, 30 for its request, and be silent for 15 between requests', () => {
  expect(createServer(() => undefined)).toMatchObject({
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 15_000,
  });
});

describe('a connection is closed without an answer', () => {
  test.each([
    ['that the client has reset', 'ECONNRESET', {}],
    ['that takes no more bytes', 'HPE_INVALID_METHOD', { writable: false }],
    ['on which an answer has begun', 'HPE_INVALID_METHOD', { _httpMessage: { headersSent: true } }],
  ])('%s', (_name, code, connection) => {
    expect(afterClientError(code, connection)).toEqual({ destroyed: 1, answers: [] });
  });
});

describe('a fault of a connection is answered', () => {
  test.each([
    ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large', 'request.header.too-large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'request.timed-out'],
    ['HPE_INVALID_METHOD', '400 Bad Request', 'request.malformed'],
    [undefined, '400 Bad Request', 'request.malformed'],
  ])('%s with %s', (code, status, errorCode) => {
    const { destroyed, answers } = afterClientError(code);
    expect([destroyed, answers.length]).toEqual([0, 1]);
    const [head = '', body = ''] = (answers[0] ?? '').split('\r\n\r\n');
    expect(head.split('\r\n')).toEqual([
      `HTTP/1.1 ${status}`,
      expect.stringMatching(/^Date: \w{3}, .* GMT$/),
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      expect.stringMatching(/^X-Request-Id: [0-9a-f-]{36}$/),
      'Cache-Control: no-store',
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
      'Strict-Transport-Security: max-age=31536000; includeSubDomains',
      'X-Content-Type-Options: nosniff',
    ]);
    expect(JSON.parse(body)).toMatchObject({ error_code: errorCode });
  });

  test('while a request is under way whose answer has not begun', () => {
    const { destroyed, answers } = afterClientError(undefined, { _httpMessage: { headersSent: false } });
    expect([destroyed, answers.length]).toEqual([0, 1]);
  });
});

test('a tunnel is refused', () => {
  const end = jest.fn<(answer: string) => void>();
  createServer(() => undefined).emit('connect', {}, Object.assign(new EventEmitter(), { end }));
  expect(end.mock.calls[0]?.[0]).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
});
