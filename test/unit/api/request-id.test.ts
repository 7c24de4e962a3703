import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { generateSecret } from '../../../src/domain/secret.ts';
import { requestId } from '../../../src/api/steps/request-id.ts';

function idFor(given: string): string {
  const request = { headers: { 'x-request-id': given } } as unknown as Request;
  requestId(request, { setHeader: () => undefined } as unknown as Response, () => undefined);
  return request.id;
}

test('a well-formed id of the caller is kept, and a secret sent in its place is not', () => {
  expect(idFor('order-17')).toBe('order-17');
  for (const kind of ['api-key', 'access-token'] as const)
    for (const given of [
      generateSecret(kind, 'uk'),
      `x-${generateSecret(kind, 'ca')}`,
      `key${generateSecret(kind, 'uk')}`,
    ])
      expect(idFor(given)).toMatch(/^[0-9a-f-]{36}$/);
});
