// @ts-nocheck
import { describeAnswer } from '../../support/describe-answer.js';
import { failingStore, testFailingStore } from '../../support/failing-store.js';
import { settingPath } from '../../support/harness.js';
import { generateSecret } from '../../../src/domain/secret.js';

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
