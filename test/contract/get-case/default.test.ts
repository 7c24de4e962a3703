import { generateSecret } from '../../../src/domain/secret.ts';
import { describeResponse } from '../../support/describe-response.ts';
import { failingStore, testFailingStore } from '../../support/failing-store.ts';

describeResponse(
  'getCase',
  'default',
  (api) => {
    testFailingStore(api, () =>
      api.call('GET', '/cases/1', { headers: { authorization: `Bearer ${generateSecret('access-token', 'uk')}` } }),
    );
  },
  failingStore,
);
