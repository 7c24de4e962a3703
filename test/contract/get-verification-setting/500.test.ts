import { generateSecret } from '../../../src/domain/secret.ts';
import { describeResponse, failingService, testUnexpectedError } from '../../support/describe-response.ts';

describeResponse(
  'getVerificationSetting',
  500,
  (api) => {
    testUnexpectedError(api, () =>
      api.call('GET', '/organisations/features/verification', {
        headers: { 'x-api-key': generateSecret('api-key', 'uk') },
      }),
    );
  },
  failingService,
);
