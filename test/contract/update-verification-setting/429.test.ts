import { expect, test } from '@jest/globals';
import { describeResponse, smallLimits, testExhaustedLimit } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

describeResponse(
  'updateVerificationSetting',
  429,
  (api) => {
    const update = (secret: string) =>
      api.call('PUT', settingPath, { headers: { 'x-api-key': secret }, body: { enabled: true } });

    testExhaustedLimit(update, async () => addApiKey(api.store, await addOrganisation(api.store), 'owner'));

    test('comes before permission, feature and body', async () => {
      const key = await addApiKey(api.store, await addOrganisation(api.store, []), 'viewer');
      await update(key);
      await update(key);
      const { status } = await api.call('PUT', settingPath, { headers: { 'x-api-key': key }, body: '{' });
      expect(status).toBe(429);
    });
  },
  smallLimits,
);
