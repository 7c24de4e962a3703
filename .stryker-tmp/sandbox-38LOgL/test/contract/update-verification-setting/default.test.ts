// @ts-nocheck
import { generateSecret } from '../../../src/domain/secret.js';
import { describeAnswer } from '../../support/describe-answer.js';
import { failingStore, testFailingStore } from '../../support/failing-store.js';
import { settingPath } from '../../support/harness.js';

describeAnswer(
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
