import { generateSecret } from '../../../src/domain/secret.ts';
import { describeResponse, failingService, testUnexpectedError } from '../../support/describe-response.ts';

describeResponse(
  'getCase',
  500,
  (api) => {
    testUnexpectedError(api, () =>
      api.call('GET', '/cases/6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10', {
        headers: { authorization: `Bearer ${generateSecret('access-token', 'uk')}` },
      }),
    );
  },
  failingService,
);
