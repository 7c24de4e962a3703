// @ts-nocheck
import type { RequestHandler } from 'express';
import { describe, expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { authorise } from '../../src/http/authorise.js';
import { identify, requirePrincipal } from '../../src/http/authenticate.js';
import { dispatch } from '../../src/http/dispatch.js';
import { createOperationsRouter } from '../../src/http/operations-router.js';
import { readBody } from '../../src/http/read-body.js';
import { handlers } from '../../src/operations/index.js';
import type { OperationHandlers } from '../../src/operations/operation.js';
import type { CredentialWithRights, OperationStore } from '../../src/store/store.js';
import { settingPath, startHarness } from '../support/harness.js';
import { addApiKey, addOrganisation } from '../support/tenants.js';

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

describe('a step that stands in the wrong place answers nothing but an error', () => {
  const store = {} as OperationStore;
  const router = createOperationsRouter(handlers);
  const steps: [string, RequestHandler | Promise<RequestHandler>][] = [
    ['identify', identify('uk', store, () => new Date())],
    ['requirePrincipal', requirePrincipal('uk')],
    ['authorise', authorise],
    ['readBody', readBody],
    ['dispatch', router.then((created) => dispatch(created, store, () => new Date()))],
  ];

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

test('a store that finds another credential than the one asked for lets nobody in', async () => {
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
  const api = await startHarness({
    wrapStore: (store) => ({ ...store, findCredential: () => Promise.resolve(found) }),
  });
  const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
  const { status } = await api.call('GET', settingPath, { headers: { 'x-api-key': key } });
  await api.close();
  expect(status).toBe(401);
});
