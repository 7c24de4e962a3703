import { generateSecret } from '../../../src/domain/secret.ts';
import { describeResponse } from '../../support/describe-response.ts';
import { failingStore, testFailingStore } from '../../support/failing-store.ts';
import { settingPath } from '../../support/harness.ts';

describeResponse(
  'updateVerificationSetting',
  'default',
  (api) => {
    testFailingStore(api, () =>
      api.call('PUT', settingPath, {
        headers: { 'x-api-key': generateSecret('api-key', 'uk') },
        body: { enabled: true },
      }),
    );
  },
  failingStore,
);
