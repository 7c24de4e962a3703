import { describe, expect, test } from '@jest/globals';
import { ApiError, isApiError, type OperationId } from '../../client/index.ts';
import { addressOf, clientOf, failureOf } from '../support/client.ts';
import { startHarness } from '../support/harness.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation, buildCase } from '../support/tenants.ts';

const api = await startHarness({ rateLimits: { requests: 5 } });
const url = addressOf(api);

async function owner() {
  const organisation = await addOrganisation(api.store);
  const apiKey = await addApiKey(api.store, organisation, 'owner');
  const accessToken = await addAccessToken(api.store, organisation);
  return { organisation, client: clientOf(url, { apiKey, accessToken, retries: 0 }) };
}

test('reads and updates the verification setting', async () => {
  const { client } = await owner();
  expect(await client.getVerificationSetting()).toEqual({ enabled: false });
  expect(await client.updateVerificationSetting({ enabled: true })).toEqual({ enabled: true });
  expect(await client.getVerificationSetting()).toEqual({ enabled: true });
});

test('reads a case with its files', async () => {
  const { client, organisation } = await owner();
  const added = buildCase(['analysis_complete', 'waiting_for_upload']);
  await addCase(api.store, organisation, added);
  expect(await client.getCase(added.case_id)).toMatchObject({ ...added, total_files: 2 });
});

describe('a refusal is an error with status, code and request id', () => {
  const expectError = async (call: Promise<unknown>, operationId: OperationId, status: number, code: string) => {
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(ApiError);
    expect([isApiError(error, operationId), isApiError(new Error('another'), operationId)]).toEqual([true, false]);
    expect(error).toMatchObject({ name: 'ApiError', operationId, status, code });
    const { requestId, message } = error as ApiError;
    expect(message).toContain(`${operationId}: ${status} ${code}: `);
    expect(message).toContain(requestId);
    expect(api.log.join()).toContain(requestId);
    return error as ApiError;
  };

  test('400 names the faults', async () => {
    const { client } = await owner();
    const call = client.updateVerificationSetting({ enabled: 'yes' } as never);
    const { details } = await expectError(call, 'updateVerificationSetting', 400, 'request.validation.failed');
    expect(details).toMatchObject({ field: 'enabled' });
  });

  test('404, also for an identifier that has to be escaped', async () => {
    const { client } = await owner();
    for (const id of ['unknown', '../organisations', 'a/b?c#d', '%2e%2e', 'ä'])
      await expectError(client.getCase(id), 'getCase', 404, 'request.cases.case.not-found');
    const elsewhere = clientOf(`${url}/elsewhere/`);
    await expectError(elsewhere.getCase('1'), 'getCase', 404, 'request.not-found');
  });

  test('429 with the time to wait', async () => {
    const { client } = await owner();
    for (let index = 0; index < 5; index += 1) await client.getVerificationSetting();
    const call = client.getVerificationSetting();
    const error = await expectError(call, 'getVerificationSetting', 429, 'request.rate-limit.exceeded');
    expect(error.retryAfterSeconds).toBeGreaterThan(0);
  });
});
