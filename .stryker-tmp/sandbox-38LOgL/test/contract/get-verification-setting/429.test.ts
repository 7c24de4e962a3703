// @ts-nocheck
import { describeAnswer } from '../../support/describe-answer.js';
import { smallLimits, testExhaustedLimit } from '../../support/exhausted-limit.js';
import { settingPath } from '../../support/harness.js';
import { addApiKey, addOrganisation } from '../../support/tenants.js';

describeAnswer(
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
