import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { requestLog } from '../../../src/api/steps/request-log.ts';

const completed = (statusCode: number) => ({ statusCode, headersSent: true });

function logged(request: object, response: Partial<Response>, finished = true): unknown {
  const lines: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => lines.push(line) });
  const emitter = Object.assign(new EventEmitter(), response);
  let wentOn = false;
  void requestLog(logger)({ id: 'x', ...request } as Request, emitter as unknown as Response, () => (wentOn = true));
  expect([wentOn, lines]).toEqual([true, []]);
  if (finished) emitter.emit('finish');
  emitter.emit('close');
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '');
}

const line = {
  ...{ level: 30, time: expect.any(Number), requestId: 'x', method: 'GET' },
  ...{ durationMs: expect.any(Number), msg: 'request completed' },
};

describe('a response is logged as one line', () => {
  test('with its operation and credential, and nothing that the request holds', () => {
    const request = {
      method: 'GET',
      url: '/cases/secret?secret',
      headers: { authorization: 'secret' },
      body: 'secret',
      operation: { operationId: 'getCase' },
      principal: { credentialId: 'key-1', organisationId: 'secret' },
    };
    expect(logged(request, completed(200))).toEqual({
      ...line,
      method: 'GET',
      operationId: 'getCase',
      status: 200,
      credentialId: 'key-1',
    });
  });

  test('without those for a caller and a path that are unknown, by the method that came in', () => {
    const request = { method: 'HEAD' };
    expect(logged(request, completed(404))).toEqual({
      ...line,
      method: 'HEAD',
      status: 404,
    });
  });

  test('that says so if the client did not wait for it', () => {
    const brokenOff = { statusCode: 200, headersSent: true };
    expect(logged({ method: 'GET' }, brokenOff, false)).toMatchObject({ status: 200, aborted: true });
  });

  test('without a status if the client did not wait for one', () => {
    const incomplete = { statusCode: 200, headersSent: false };
    expect(logged({ method: 'GET' }, incomplete, false)).toEqual({ ...line, aborted: true });
  });

  test('with the status that its connection was refused with', () => {
    const refused = { statusCode: 408, headersSent: false };
    expect(logged({ method: 'GET' }, refused, false)).toEqual({ ...line, status: 408 });
  });

  test('with the trace that it belongs to, and that it was refused for overload', () => {
    const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
    const { traceId, spanId } = trace;
    expect(logged({ method: 'GET', trace, overloaded: true }, completed(503))).toEqual({
      ...line,
      status: 503,
      traceId,
      spanId,
      overloaded: true,
    });
  });

  test('as the logger itself writes it, with what it is bound to', () => {
    const lines: string[] = [];
    const logger = pino({ base: null }, { write: (line: string) => lines.push(line) }).child({ worker: 2 });
    const emitter = Object.assign(new EventEmitter(), completed(200));
    const request = { id: 'x', method: 'GET', operation: { operationId: 'a "quoted" one' } };
    void requestLog(logger)(request as unknown as Request, emitter as unknown as Response, () => undefined);
    emitter.emit('finish');
    emitter.emit('close');
    const { level, time, worker, msg, ...own } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    logger.info(own, 'request completed');
    expect([level, worker, msg]).toEqual([30, 2, 'request completed']);
    expect(lines[1]?.replace(/"time":\d+/, '')).toBe(lines[0]?.replace(`"time":${String(time)}`, ''));
  });

  test('with its duration in milliseconds', () => {
    const { durationMs } = logged({ method: 'GET' }, completed(200)) as { durationMs: number };
    expect(durationMs).toBeGreaterThan(0);
    expect(durationMs).toBeLessThan(1000);
  });
});
