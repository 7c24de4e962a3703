import { expect, test } from '@jest/globals';
import { describeResponse, testRefusedCredentials } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';

describeResponse('updateVerificationSetting', 401, (api) => {
  testRefusedCredentials(api, {
    kind: 'api-key',
    call: (headers) => api.call('PUT', settingPath, { headers, body: { enabled: true } }),
    present: (secret) => ({ 'x-api-key': secret }),
  });

  test.each([
    ['malformed', '{', 'application/json'],
    ['oversized', ' '.repeat(20_000), 'application/json'],
    ['of another media type', 'x', 'text/plain'],
  ])('comes before any look at a body that is %s', async (_name, body, type) => {
    const { status } = await api.call('PUT', settingPath, { headers: { 'content-type': type }, body });
    expect(status).toBe(401);
  });
});
