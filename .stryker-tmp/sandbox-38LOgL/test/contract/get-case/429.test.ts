// @ts-nocheck
import { describeAnswer } from '../../support/describe-answer.js';
import { smallLimits, testExhaustedLimit } from '../../support/exhausted-limit.js';
import { addAccessToken, addOrganisation } from '../../support/tenants.js';

describeAnswer(
  'getCase',
  429,
  (api) => {
    testExhaustedLimit(
      (secret) => api.call('GET', '/cases/1', { headers: { authorization: `Bearer ${secret}` } }),
      async () => addAccessToken(api.store, await addOrganisation(api.store)),
    );
  },
  smallLimits,
);
