import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation, setFeature } from '../../support/tenants.ts';

describeResponse('getVerificationSetting', 403, (api) => {
  const read = (key: string) => api.call('GET', settingPath, { headers: { 'x-api-key': key } });

  test('refuses a key whose role does not hold organisation_settings:read', async () => {
    const { status, body } = await read(await addApiKey(api.store, await addOrganisation(api.store), 'viewer'));
    expect([status, body]).toMatchObject([403, { error_code: 'request.forbidden' }]);
  });

  test('refuses an organisation without the verification feature', async () => {
    const { status, body } = await read(await addApiKey(api.store, await addOrganisation(api.store, []), 'owner'));
    expect([status, body]).toMatchObject([403, { error_code: 'request.organisations.feature-flag.not-enabled' }]);
  });

  test('names the missing permission before the missing feature', async () => {
    const { body } = await read(await addApiKey(api.store, await addOrganisation(api.store, []), 'viewer'));
    expect(body).toMatchObject({ error_code: 'request.forbidden' });
  });

  test('follows a change of roles and features on the next request', async () => {
    const organisation = await addOrganisation(api.store);
    const key = await addApiKey(api.store, organisation, 'member');
    await api.store.setPermission('member', 'organisation_settings:read', false);
    expect((await read(key)).status).toBe(403);
    await api.store.setPermission('member', 'organisation_settings:read', true);
    await setFeature(api.store, organisation, false);
    expect((await read(key)).status).toBe(403);
    await setFeature(api.store, organisation, true);
    expect((await read(key)).status).toBe(200);
  });
});
