import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

describeResponse('updateVerificationSetting', 403, (api) => {
  test.each([
    ['member', ['verification']],
    ['viewer', ['verification']],
    ['owner', []],
  ])('changes nothing for a key of the role %s in an organisation with the features %j', async (role, features) => {
    const organisation = await addOrganisation(api.store, features);
    const headers = { 'x-api-key': await addApiKey(api.store, organisation, role) };
    expect((await api.call('PUT', settingPath, { headers, body: { enabled: true } })).status).toBe(403);
    expect(await api.store.readVerificationSetting(organisation)).toBe(false);
    expect(await api.store.listAuditEntries({ organisationId: organisation, limit: 1 })).toEqual([]);
  });
});
