import { generateSecret } from '../../../src/domain/secret.ts';
import { describeResponse, failingService, testUnexpectedError } from '../../support/describe-response.ts';

describeResponse(
  'updateVerificationSetting',
  500,
  (api) => {
    testUnexpectedError(api, () =>
      api.call('PUT', '/organisations/features/verification', {
        headers: { 'x-api-key': generateSecret('api-key', 'uk') },
        body: { enabled: true },
      }),
    );
  },
  failingService,
);
