import { generateSecret } from '../../../src/domain/secret.ts';
import { describeAnswer } from '../../support/describe-answer.ts';
import { failingStore, testFailingStore } from '../../support/failing-store.ts';

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
