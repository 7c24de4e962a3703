import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { operationsOf, ownApi } from '../../../src/api/api-description.ts';
import { malformed } from '../../../src/api/errors.ts';
import { readBody } from '../../../src/api/steps/read-body.ts';

test('a body that breaks off is malformed, and not too large', async () => {
  const request = Object.assign(new PassThrough(), {
    headers: { 'content-type': 'application/json', 'content-length': '16' },
    operation: operationsOf(ownApi).get('updateVerificationSetting'),
  });
  const outcome = new Promise((resolve) => void readBody(request as unknown as Request, {} as Response, resolve));
  request.write('{"enabled"');
  request.emit('aborted');
  expect(await outcome).toEqual(malformed());
});

test('the media type of a request is taken away if its operation has no body: the validator would keep each it meets', async () => {
  const operation = operationsOf(ownApi).get('getCase');
  const request = { headers: { 'content-type': 'text/plain; p=1' }, operation } as unknown as Request;
  await new Promise((resolve) => void readBody(request, {} as Response, resolve));
  expect(request.headers).toEqual({});
});
