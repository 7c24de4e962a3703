import { generateSecret } from '../../../src/domain/secret.ts';
import { describeResponse, failingService, testUnavailable } from '../../support/describe-response.ts';

describeResponse(
  'getVerificationSetting',
  503,
  (api) => {
    testUnavailable(() =>
      api.call('GET', '/organisations/features/verification', {
        headers: { 'x-api-key': generateSecret('api-key', 'uk') },
      }),
    );
  },
  failingService,
);
