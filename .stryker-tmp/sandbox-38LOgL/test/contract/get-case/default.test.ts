// @ts-nocheck
import { generateSecret } from '../../../src/domain/secret.js';
import { describeAnswer } from '../../support/describe-answer.js';
import { failingStore, testFailingStore } from '../../support/failing-store.js';

describeAnswer(
  'getCase',
  'default',
  (api) => {
    testFailingStore(api, () =>
      api.call('GET', '/cases/1', { headers: { authorization: `Bearer ${generateSecret('access-token', 'uk')}` } }),
    );
  },
  failingStore,
);
