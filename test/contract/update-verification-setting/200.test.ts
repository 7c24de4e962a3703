import { expect, test } from '@jest/globals';
import { saveResult } from '../../store/conformance/fixtures.ts';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addCredential, addOrganisation } from '../../support/tenants.ts';

describeResponse('updateVerificationSetting', 200, (api, callAnew) => {
  const update = (key: string, enabled: boolean, headers: Record<string, string> = {}) =>
    api.call('PUT', settingPath, { headers: { 'x-api-key': key, ...headers }, body: { enabled } });

  test('responds with the saved value', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    expect((await update(key, true)).body).toEqual({ enabled: true });
    expect((await update(key, true)).body).toEqual({ enabled: true });
    expect((await update(key, false)).body).toEqual({ enabled: false });
  });

  test('ignores a byte order mark before the JSON', async () => {
    const body = '\ufeff{"enabled":true}';
    const { status } = await callAnew(settingPath, { headers: { 'content-type': 'application/json' }, body });
    expect(status).toBe(200);
  });

  test('writes an audit entry for each update, also of one that changes nothing and so clears no cached result', async () => {
    const organisation = await addOrganisation(api.store);
    const { secret, credentialId } = await addCredential(api.store, organisation, { kind: 'api-key', role: 'owner' });
    for (const content of ['a', 'b']) await saveResult(api.store, organisation, content);
    await update(secret, true, { 'x-request-id': 'first' });
    await saveResult(api.store, organisation, 'c');
    await update(secret, true, { 'x-request-id': 'second' });
    expect(await api.store.countCachedAnalysisResults(organisation)).toBe(1);

    const entry = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
      organisation_id: organisation,
      credential_id: credentialId,
      action: 'organisation.verification-setting.updated',
      after: { enabled: true },
    };
    expect(await api.store.listAuditEntries({ organisationId: organisation, limit: 10 })).toEqual([
      { ...entry, request_id: 'second', before: { enabled: true }, cleared: 0 },
      { ...entry, request_id: 'first', before: { enabled: false }, cleared: 2 },
    ]);
  });

  const spellings = ['application/json', 'Application/JSON; charset="UTF-8"', 'application/json;profile=x;a=b'];
  test.each(spellings)('accepts any spelling of the JSON media type: %s', async (type) => {
    const { status } = await callAnew(settingPath, { headers: { 'content-type': type }, body: '{"enabled":true}' });
    expect(status).toBe(200);
  });
});
