import { describeAnswer } from '../../support/describe-answer.ts';
import { failingStore, testFailingStore } from '../../support/failing-store.ts';
import { settingPath } from '../../support/harness.ts';
import { generateSecret } from '../../../src/domain/secret.ts';

describeAnswer(
  'getVerificationSetting',
  'default',
  (api) => {
    testFailingStore(api, () =>
      api.call('GET', settingPath, { headers: { 'x-api-key': generateSecret('api-key', 'uk') } }),
    );
  },
  failingStore,
);
