import { describe, expect, test } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import { operations } from '../../generated/operations.ts';
import { Refusal } from '../../src/api/errors.ts';
import { authorise } from '../../src/api/steps/authorise.ts';
import { identify, principalsOf, requirePrincipal } from '../../src/api/steps/authenticate.ts';
import { dispatch } from '../../src/api/steps/dispatch.ts';
import { createOperationsRouter } from '../../src/api/operations-router.ts';
import { readBody } from '../../src/api/steps/read-body.ts';
import { validate } from '../../src/api/steps/validate.ts';
import { handlers } from '../../src/api/operations/index.ts';
import type { OperationHandlers } from '../../src/api/operation.ts';
import type { CredentialWithRights, OperationStore } from '../../src/store/store.ts';
import { settingPath, startHarness } from '../support/harness.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

describe('the router', () => {
  test('does not start with an operation that has no handler', async () => {
    const { getVerificationSetting, updateVerificationSetting } = handlers;
    const incomplete = { getVerificationSetting, updateVerificationSetting } as OperationHandlers;
    await expect(createOperationsRouter(incomplete)).rejects.toThrow('getCase has no handler');
  });

  test('does not start with a handler that has no operation', async () => {
    const superfluous = { ...handlers, deleteCase: handlers.getCase };
    await expect(createOperationsRouter(superfluous)).rejects.toThrow('Unknown operationId deleteCase');
  });
});

describe('what the router remembers of a path with parameters', () => {
  test.each(['/cases/', '/cases/\u00a0', '/cases/\u00a0a', '/cases/a/'])('is not spoilt by %j', async (odd) => {
    const created = await createOperationsRouter(handlers);
    created.find('GET', odd);
    expect(created.find('GET', '/cases/1')).toMatchObject({
      operation: { operationId: 'getCase' },
      pathParameters: { id: '1' },
    });
    expect(created.find('GET', '/cases/')).toBeInstanceOf(Refusal);
  });
});

test('a declared path with white space at its end is another path', async () => {
  const created = await createOperationsRouter(handlers);
  expect(created.find('GET', '/organisations/features/verification\u00a0')).toBeInstanceOf(Refusal);
  expect(created.find('GET', '/organisations/features/verification')).toMatchObject({ pathParameters: {} });
});

const store = {} as OperationStore;
const router = createOperationsRouter(handlers);
const steps: [string, RequestHandler | Promise<RequestHandler>][] = [
  ['identify', identify(principalsOf('uk', store, () => new Date()))],
  ['requirePrincipal', requirePrincipal('uk')],
  ['authorise', authorise],
  ['readBody', readBody],
  ['validate', validate()],
  ['dispatch', router.then((created) => dispatch(created, store, () => new Date()))],
];

describe('a step that stands in the wrong place answers nothing but an error', () => {
  test.each(steps)('%s', async (_name, step) => {
    const run = await step;
    const call = async () => {
      await run({ headers: {} } as Request, {} as Response, () => {
        throw new Error('the request went on');
      });
    };
    await expect(call()).rejects.toThrow(/^No operation was found|^Nobody was authenticated/);
  });
});

describe('a step behind authentication answers nothing but an error to a caller who is unknown', () => {
  const operation = { operationId: 'getCase', ...operations.getCase };

  test.each(steps.filter(([name]) => ['authorise', 'dispatch'].includes(name)))('%s', async (_name, step) => {
    const run = await step;
    const call = async () => {
      await run({ headers: {}, operation } as Request, {} as Response, () => {
        throw new Error('the request went on');
      });
    };
    await expect(call()).rejects.toThrow('Nobody was authenticated for this request.');
  });
});

test('a request whose rules the validator does not know goes no further', () => {
  const operation = { ...operations.updateVerificationSetting, path: '/unknown' };
  const request = { operation } as unknown as Request;
  expect(() => {
    void validate()(request, {} as Response, () => undefined);
  }).toThrow('The validator does not know put /unknown.');
});

test('a refusal by an operation is answered with all of its headers', async () => {
  const refusal = new Refusal('request.rate-limit.exceeded', { headers: { 'Retry-After': '1' } });
  const refusing = await createOperationsRouter({ ...handlers, getCase: () => Promise.resolve(refusal) });
  const principal = { credentialId: 'a', organisationId: 'b', permissions: new Set(), features: new Set() };
  const request = { operation: { operationId: 'getCase', ...operations.getCase }, principal } as unknown as Request;
  const passed: unknown[] = [];
  await dispatch(refusing, store, () => new Date())(request, {} as Response, (error?: unknown) => passed.push(error));
  expect(passed).toEqual([refusal]);
});

describe('nobody is let in by a store that finds', () => {
  const found: CredentialWithRights = {
    credential_id: 'someone',
    organisation_id: 'somewhere',
    kind: 'api-key',
    expires_at: null,
    revoked_at: null,
    secret_sha256: Buffer.alloc(32),
    permissions: ['organisation_settings:read'],
    features: ['verification'],
  };

  test.each<[string, (secretSha256: Uint8Array) => CredentialWithRights]>([
    ['another credential than the one asked for', () => found],
    ['one of the other kind', (secretSha256) => ({ ...found, kind: 'access-token', secret_sha256: secretSha256 })],
  ])('%s', async (_name, find) => {
    const api = await startHarness({
      wrapStore: (real) => ({ ...real, findCredential: (secretSha256) => Promise.resolve(find(secretSha256)) }),
    });
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    const { status } = await api.call('GET', settingPath, { headers: { 'x-api-key': key } });
    await api.close();
    expect(status).toBe(401);
  });
});
