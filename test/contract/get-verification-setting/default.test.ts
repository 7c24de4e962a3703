import { describeResponse } from '../../support/describe-response.ts';
import { failingStore, testFailingStore } from '../../support/failing-store.ts';
import { settingPath } from '../../support/harness.ts';
import { generateSecret } from '../../../src/domain/secret.ts';

describeResponse(
  'getVerificationSetting',
  'default',
  (api) => {
    testFailingStore(api, () =>
      api.call('GET', settingPath, { headers: { 'x-api-key': generateSecret('api-key', 'uk') } }),
    );
  },
  failingStore,
);
