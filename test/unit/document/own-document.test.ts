import { describe, expect, test } from '@jest/globals';
import { hasOwnHost, matchOperation } from '../../../contract/document/index.ts';
import { ownDocument } from '../../../contract/document/own-document.ts';
import { settingPath } from '../../support/harness.ts';

const operationOf = (operationId: string) =>
  ownDocument.operations.find((operation) => operation.operationId === operationId);

describe('the document of the API', () => {
  test('is asked for an operation by method and path, without the query', () => {
    const called = (method: string, path: string) => matchOperation(ownDocument, method, path)?.operationId;
    expect(called('head', `${settingPath}?a=/b`)).toBe('getVerificationSetting');
    expect(called('DELETE', settingPath)).toBeUndefined();
    expect(called('GET', `${settingPath}/`)).toBeUndefined();
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
    expect(hasOwnHost(ownDocument, method, path)).toBe(expected);
  });

  test('says who may call each operation, and how large its body may be', () => {
    const facts = ownDocument.operations.map(({ operationId, security, requiredPermission, requestBody }) => [
      operationId,
      security,
      requiredPermission,
      requestBody?.maxBytes,
    ]);
    const first = [
      ['getVerificationSetting', [['apiKey']], 'organisation_settings:read', undefined],
      ['updateVerificationSetting', [['apiKey']], 'organisation_settings:write', 16_384],
      ['getCase', [['accessToken']], null, undefined],
    ];
    expect(facts).toEqual(expect.arrayContaining(first));
  });

  test('has the schemas of its components in its responses, not copies', () => {
    const schema = operationOf('getCase')?.responses['200']?.content['application/json']?.schema;
    expect(schema).toBe(ownDocument.schemas['Case']);
    expect(schema?.properties?.['files']?.items).toBe(ownDocument.schemas['FileSummary']);
  });

  test('gives each error code its status and message, also those that no operation responds with', () => {
    expect(ownDocument.errors).toMatchObject({
      'request.cases.case.already-locked': { status: 409, message: 'The case is locked.' },
      'request.cases.case.not-found': { status: 404, message: 'There is no such case.' },
      'request.method-not-allowed': { status: 405 },
      'service.unavailable': { status: 503 },
    });
  });
});
