import { describe, expect, test } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import { Refusal } from '../../src/api/errors.ts';
import {
  authorise,
  challengesOf,
  identify,
  presentationsOf,
  principalsOf,
  requirePrincipal,
} from '../../src/api/steps/access.ts';
import { dispatch } from '../../src/api/steps/dispatch.ts';
import { operationsOf, ownApi } from '../../src/api/api-description.ts';
import { bindHandlers } from '../../src/api/application.ts';
import { readBody } from '../../src/api/steps/read-body.ts';
import { validate } from '../../src/api/steps/validate.ts';
import { handlers } from '../../src/api/operations/index.ts';
import type { AnyOperationHandler } from '../../src/api/operation.ts';
import type { CredentialWithRights, Store } from '../../src/store/store.ts';
import { settingPath, startHarness } from '../support/harness.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

describe('the server', () => {
  test('does not start with an operation that has no handler', async () => {
    const { getVerificationSetting, updateVerificationSetting } = handlers;
    const incomplete = { getVerificationSetting, updateVerificationSetting };
    await expect(bindHandlers(ownApi.operations, incomplete)).rejects.toThrow('getCase has no handler');
  });

  test('does not start with a handler that has no operation', async () => {
    const superfluous = { ...handlers, deleteCase: handlers.getCase };
    await expect(bindHandlers(ownApi.operations, superfluous)).rejects.toThrow('Unknown operationId deleteCase');
  });

  const { getCase } = ownApi.operations;
  test.each([
    ['is public and requires a permission', { security: [], requiredPermission: 'cases:read' }],
    ['is public and requires a feature', { security: [], requiredFeature: 'verification' }],
    ['may be called with a credential or without', { security: [['accessToken'], []] }],
    ['has an unknown security scheme', { security: [['accessToken'], ['cookie']] }],
    ['has a body without a limit', { requestMediaTypes: ['application/json'] }],
  ])('does not start with an operation that %s', (_name, fault) => {
    const operations = { getCase: { ...getCase, ...fault } } as typeof ownApi.operations;
    expect(() => operationsOf({ ...ownApi, operations })).toThrow();
  });
});

const store = {} as Store;
const context = { store, region: 'uk', version: '1' } as const;
const operations = operationsOf(ownApi);
const presentations = presentationsOf(ownApi.securitySchemes);
const challengeOf = challengesOf(presentations, 'uk');
const rights = { now: () => new Date(), challengeOf };
const bound = bindHandlers<AnyOperationHandler>(ownApi.operations, handlers as never);
const steps: [string, RequestHandler | Promise<RequestHandler>][] = [
  ['identify', identify(presentations, principalsOf('uk', store, { now: () => new Date() }), new Map())],
  ['requirePrincipal', requirePrincipal(challengeOf)],
  ['authorise', authorise],
  ['readBody', readBody],
  ['validate', validate(ownApi.requestRules)],
  ['dispatch', bound.then((created) => dispatch(created, context, rights))],
];

const operation = operations.get('getCase');
test.each([
  ...steps.map(([name, step]) => {
    const error = /^No operation was found|^Nobody was authenticated/;
    return { name, place: 'in the wrong place', step, found: {}, error };
  }),
  ...steps
    .filter(([name]) => ['authorise', 'dispatch'].includes(name))
    .map(([name, step]) => {
      const error = 'Nobody was authenticated for this request.';
      return { name, place: 'behind authentication, for a caller who is unknown', step, found: { operation }, error };
    }),
])('the step $name responds with nothing but an error $place', async ({ step, found, error }) => {
  const run = await step;
  const call = async () => {
    await run({ headers: {}, ...found } as unknown as Request, {} as Response, () => {
      throw new Error('the request went on');
    });
  };
  await expect(call()).rejects.toThrow(error);
});

test('a request whose rules the validator does not know goes no further', () => {
  const operation = { ...operations.get('updateVerificationSetting'), path: '/unknown' };
  const request = { operation, headers: {} } as unknown as Request;
  expect(() => {
    void validate(ownApi.requestRules)(request, {} as Response, () => undefined);
  }).toThrow('The validator does not know put /unknown.');
});

test('a refusal by an operation is sent with all of its headers', async () => {
  const refusal = new Refusal('request.rate-limit.exceeded', { headers: { 'Retry-After': '1' } });
  const refusing = new Map([['getCase', () => refusal]]);
  const principal = { credentialId: 'a', organisationId: 'b', permissions: [], features: [] };
  const request = { operation: operations.get('getCase'), principal } as unknown as Request;
  const passed: unknown[] = [];
  await dispatch(refusing, context, rights)(request, {} as Response, (error?: unknown) => passed.push(error));
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
    expect(status).toBe(401);
  });
});
