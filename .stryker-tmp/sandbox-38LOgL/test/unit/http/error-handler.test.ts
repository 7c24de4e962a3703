// @ts-nocheck
import { expect, jest, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { pino } from 'pino';
import { errorHandler } from '../../../src/http/error-handler.js';

test('an error after the answer has begun breaks the connection off: half an answer must not look whole', () => {
  const destroy = jest.fn();
  const response = { headersSent: true, destroy } as unknown as Response;
  const request = { id: 'x' } as Request;
  void errorHandler(pino({ level: 'silent' }))(new Error('late'), request, response, () => undefined);
  expect(destroy).toHaveBeenCalled();
});
