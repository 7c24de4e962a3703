import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { requestLog } from '../../../src/http/request-log.js';

function logged(request: object, response: { statusCode: number; writableFinished: boolean }): unknown {
  const lines: string[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
  const emitter = Object.assign(new EventEmitter(), response);
  let wentOn = false;
  void requestLog(logger)({ id: 'x', ...request } as Request, emitter as unknown as Response, () => (wentOn = true));
  expect([wentOn, lines]).toEqual([true, []]);
  emitter.emit('close');
  emitter.emit('close');
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

const line = { level: 30, requestId: 'x', durationMs: expect.any(Number), msg: 'answered' };

describe('an answer is logged as one line', () => {
  test('with its operation and credential, and nothing that the request holds', () => {
    const request = {
      method: 'GET',
      url: '/cases/secret?secret',
      headers: { authorization: 'secret' },
      body: 'secret',
      operation: { operationId: 'getCase' },
      principal: { credentialId: 'key-1', organisationId: 'secret' },
    };
    expect(logged(request, { statusCode: 200, writableFinished: true })).toEqual({
      ...line,
      method: 'GET',
      operationId: 'getCase',
      status: 200,
      credentialId: 'key-1',
    });
  });

  test('without those for a caller and a path that are unknown, by the method that came in', () => {
    const request = { method: 'HEAD' };
    expect(logged(request, { statusCode: 404, writableFinished: true })).toEqual({
      ...line,
      method: 'HEAD',
      status: 404,
    });
  });

  test('that says so if the client did not wait for it', () => {
    expect(logged({ method: 'GET' }, { statusCode: 200, writableFinished: false })).toMatchObject({ aborted: true });
  });

  test('with its duration in milliseconds', () => {
    const { durationMs } = logged({}, { statusCode: 200, writableFinished: true }) as { durationMs: number };
    expect(durationMs).toBeGreaterThan(0);
    expect(durationMs).toBeLessThan(1000);
  });
});
