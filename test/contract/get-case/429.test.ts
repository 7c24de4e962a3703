import { describeResponse, smallLimits, testExhaustedLimit } from '../../support/describe-response.ts';
import { addAccessToken, addOrganisation } from '../../support/tenants.ts';

describeResponse(
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
