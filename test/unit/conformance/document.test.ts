import { describe, expect, test } from '@jest/globals';
import {
  bodyLimitOf,
  contractDocument,
  documentedOperations,
  findOperation,
  hasOwnHost,
} from '../../../contract/document/document.ts';
import { settingPath } from '../../support/harness.ts';

describe('the document', () => {
  test('says of every answer which headers and which body it has', () => {
    const responses = [...documentedOperations, { responses: contractDocument['x-service-responses'] }].flatMap(
      (described) => Object.values(described.responses),
    );
    for (const response of responses)
      expect(response).toMatchObject({ headers: expect.any(Object) as object, content: expect.any(Object) as object });
  });

  test('is asked for an operation by method and path, without the query', () => {
    expect(findOperation('head', `${settingPath}?a=/b`)?.operationId).toBe('getVerificationSetting');
    expect(findOperation('DELETE', settingPath)).toBeUndefined();
    expect(findOperation('GET', `${settingPath}/`)).toBeUndefined();
  });

  test.each([
    ['GET', '/cases/1', true],
    ['DELETE', '/cases/1', true],
    ['GET', '/CASES/1/2', true],
    ['GET', '//cases', true],
    ['GET', settingPath, false],
    ['DELETE', settingPath, false],
    ['GET', '/organisations', false],
    ['GET', '/', false],
  ])('tells that %s %s is meant for the host of the cases: %p', (method, path, expected) => {
    expect(hasOwnHost(method, path)).toBe(expected);
  });

  test('states the largest body with the request body', () => {
    expect(documentedOperations.map(bodyLimitOf)).toEqual([undefined, 16_384, undefined]);
  });
});
