import { expect, test } from '@jest/globals';
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

const operations = operationsOf(ownApi);
const operation = operations.get('getCase');

test('the server does not start with an operation that has no handler, or a handler that has no operation', async () => {
  const { getCase, ...incomplete } = handlers;
  await expect(bindHandlers(ownApi.operations, incomplete)).rejects.toThrow('getCase has no handler');
  const superfluous = { ...handlers, deleteCase: getCase };
  await expect(bindHandlers(ownApi.operations, superfluous)).rejects.toThrow('Unknown operationId deleteCase');
});

test.each([
  ['is public and requires a permission', { security: [], requiredPermission: 'cases:read' }],
  ['is public and requires a feature', { security: [], requiredFeature: 'verification' }],
  ['may be called with a credential or without', { security: [['accessToken'], []] }],
  ['has an unknown security scheme', { security: [['accessToken'], ['cookie']] }],
  ['has a body without a limit', { requestMediaTypes: ['application/json'] }],
])('the server does not start with an operation that %s', (_name, fault) => {
  const operations = { getCase: { ...operation, ...fault } } as unknown as typeof ownApi.operations;
  expect(() => operationsOf({ ...ownApi, operations })).toThrow();
});

const store = {} as Store;
const context = { store, region: 'uk', version: '1' } as const;
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

test.each(steps)(
  'the step %s responds with nothing but an error in the wrong place, or to an unknown caller',
  async (name, step) => {
    const run = await step;
    const call = async (found: object) => {
      await run({ headers: {}, ...found } as unknown as Request, {} as Response, () => {
        throw new Error('the request went on');
      });
    };
    await expect(call({})).rejects.toThrow(/^No operation was found|^Nobody was authenticated/);
    if (name === 'authorise' || name === 'dispatch')
      await expect(call({ operation })).rejects.toThrow('Nobody was authenticated for this request.');
  },
);

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
  const request = { operation, principal } as unknown as Request;
  const passed: unknown[] = [];
  await dispatch(refusing, context, rights)(request, {} as Response, (error?: unknown) => passed.push(error));
  expect(passed).toEqual([refusal]);
});

test.each<[string, (secret_sha256: Uint8Array) => Partial<CredentialWithRights>]>([
  ['another credential than the one asked for', () => ({ secret_sha256: Buffer.alloc(32) })],
  ['one of the other kind', () => ({ kind: 'access-token' })],
])('nobody is let in by a store that finds %s', async (_name, otherwise) => {
  const found = { credential_id: 'someone', organisation_id: 'somewhere', expires_at: null, revoked_at: null };
  const rights = { permissions: ['organisation_settings:read'], features: ['verification'] };
  const findCredential = (secret_sha256: Uint8Array) =>
    Promise.resolve({ ...found, ...rights, kind: 'api-key', secret_sha256, ...otherwise(secret_sha256) } as const);
  const api = await startHarness({ wrapStore: (real) => ({ ...real, findCredential }) });
  const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
  const { status } = await api.call('GET', settingPath, { headers: { 'x-api-key': key } });
  expect(status).toBe(401);
});
