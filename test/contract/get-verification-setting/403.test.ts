import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation, setFeature } from '../../support/tenants.ts';

describeResponse('getVerificationSetting', 403, (api) => {
  const read = (key: string) => api.call('GET', settingPath, { headers: { 'x-api-key': key } });

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
