import { describe, expect, jest, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { Refusal } from '../../../src/api/errors.ts';
import { errorHandler } from '../../../src/api/steps/error-handler.ts';
import { FilesUnavailableError } from '../../../src/files/file-access.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';

function handle(error: unknown, headersSent = false) {
  const lines: string[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
  const request = { id: 'request-1' } as Request;
  const response = { req: request, headersSent, destroy: jest.fn(), writeHead: jest.fn(), end: jest.fn() };
  void errorHandler(logger)(error, request, response as unknown as Response, () => undefined);
  return { ...response, log: lines.map((line) => JSON.parse(line) as unknown) };
}

describe('the log holds what is unexpected, with its request', () => {
  test.each([
    ['a fault of the store', new StoreUnavailableError('it is locked'), 'the store is unavailable'],
    ['a fault of the files', new FilesUnavailableError('it is locked'), 'the files are unavailable'],
    ['any other error', new TypeError('it is locked'), 'unexpected error'],
  ])('%s', (_name, error, msg) => {
    expect(handle(error).log).toEqual([
      { level: 50, requestId: 'request-1', msg, err: expect.objectContaining({ message: 'it is locked' }) },
    ]);
  });

  test('but no refusal', () => {
    expect(handle(new Refusal('request.forbidden')).log).toEqual([]);
  });
});

test('an error after the response has begun breaks the connection off: half a response must not look whole', () => {
  const { destroy, writeHead, end } = handle(new Error('late'), true);
  expect(destroy).toHaveBeenCalledTimes(1);
  expect(writeHead).not.toHaveBeenCalled();
  expect(end).not.toHaveBeenCalled();
});
