import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createServer } from '../../../src/api/connections/server.ts';

function connection(writable = true) {
  return Object.assign(new EventEmitter(), {
    writable,
    destroy: jest.fn(),
    end: jest.fn<(response: string) => void>(),
    resume: jest.fn(),
  });
}

/** Tells the server of a fault on a connection, and returns what it did to that. */
function afterClientError(code: string | undefined, socket = connection()) {
  const error = Object.assign(new Error('fault'), code === undefined ? {} : { code });
  createServer(() => undefined).emit('clientError', error, socket as unknown as Duplex);
  return {
    destroyed: socket.destroy.mock.calls.length,
    responses: socket.end.mock.calls.map(([response]) => response),
  };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('a client may take 15 seconds for its headers, 30 for its request, be silent for 15 between and 60 during its response', () => {
  expect(createServer(() => undefined)).toMatchObject({
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 15_000,
    timeout: 60_000,
  });
});

describe('a connection is closed without a response', () => {
  test.each([
    ['that the client has reset', 'ECONNRESET', true],
    ['that takes no more bytes', 'HPE_INVALID_METHOD', false],
  ])('%s', (_name, code, writable) => {
    expect(afterClientError(code, connection(writable))).toEqual({ destroyed: 1, responses: [] });
  });
});

describe('a fault of a connection gets a response', () => {
  test.each([
    ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large', 'request.header.too-large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'request.timed-out'],
    ['HPE_INVALID_METHOD', '400 Bad Request', 'request.malformed'],
    [undefined, '400 Bad Request', 'request.malformed'],
  ])('%s with %s', (code, status, errorCode) => {
    const { destroyed, responses } = afterClientError(code);
    expect([destroyed, responses.length]).toEqual([0, 1]);
    const [head = '', body = ''] = (responses[0] ?? '').split('\r\n\r\n');
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

  test('and cut a second later, unless the client has closed it before', () => {
    const [lingering, closed] = [connection(), connection()];
    afterClientError('HPE_INVALID_METHOD', lingering);
    afterClientError('HPE_INVALID_METHOD', closed);
    closed.emit('close');
    jest.advanceTimersByTime(999);
    expect(lingering.destroy).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect([lingering.destroy.mock.calls.length, closed.destroy.mock.calls.length]).toEqual([1, 0]);
  });
});
