import { describeResponse, smallLimits, testExhaustedLimit } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

describeResponse(
  'getVerificationSetting',
  429,
  (api) => {
    testExhaustedLimit(
      (secret) => api.call('GET', settingPath, { headers: { 'x-api-key': secret } }),
      async () => addApiKey(api.store, await addOrganisation(api.store), 'viewer'),
    );
  },
  smallLimits,
);
