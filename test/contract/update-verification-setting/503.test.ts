import { generateSecret } from '../../../src/domain/secret.ts';
import { describeResponse, failingService, testUnavailable } from '../../support/describe-response.ts';

describeResponse(
  'updateVerificationSetting',
  503,
  (api) => {
    testUnavailable(() =>
      api.call('PUT', '/organisations/features/verification', {
        headers: { 'x-api-key': generateSecret('api-key', 'uk') },
        body: { enabled: true },
      }),
    );
  },
  failingService,
);
