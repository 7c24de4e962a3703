import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

describeResponse('updateVerificationSetting', 403, (api) => {
  const update = (key: string, body: string | object = { enabled: true }) =>
    api.call('PUT', settingPath, { headers: { 'x-api-key': key, 'content-type': 'application/json' }, body });

  test.each(['member', 'viewer'])('refuses a key of the role %s, and changes nothing', async (role) => {
    const organisation = await addOrganisation(api.store);
    const { status, body } = await update(await addApiKey(api.store, organisation, role));
    expect([status, body]).toMatchObject([403, { error_code: 'request.forbidden' }]);
    expect(await api.store.readVerificationSetting(organisation)).toBe(false);
    expect(await api.store.listAuditEntries({ organisationId: organisation, limit: 1 })).toEqual([]);
  });

  test('refuses an organisation without the verification feature, and changes nothing', async () => {
    const organisation = await addOrganisation(api.store, []);
    const { status, body } = await update(await addApiKey(api.store, organisation, 'owner'));
    expect([status, body]).toMatchObject([403, { error_code: 'request.organisations.feature-flag.not-enabled' }]);
    expect(await api.store.readVerificationSetting(organisation)).toBe(false);
  });

  test.each([
    ['no JSON', '{'],
    ['invalid', '{"enabled":"no"}'],
    ['too large', ' '.repeat(20_000)],
  ])('tells nothing of a body that is %s', async (_name, body) => {
    expect((await update(await addApiKey(api.store, await addOrganisation(api.store), 'member'), body)).status).toBe(
      403,
    );
    expect((await update(await addApiKey(api.store, await addOrganisation(api.store, []), 'owner'), body)).status).toBe(
      403,
    );
  });
});
