import { expect, test } from '@jest/globals';
import { describeResponse, testRefusedCredentials } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';

describeResponse('getVerificationSetting', 401, (api) => {
  testRefusedCredentials(api, {
    kind: 'api-key',
    call: (headers) => api.call('GET', settingPath, { headers }),
    present: (secret) => ({ 'x-api-key': secret }),
  });

  test('challenges for an API key of the region', async () => {
    const { headers } = await api.call('GET', settingPath);
    expect(headers).toMatchObject({ 'www-authenticate': 'ApiKey realm="document-analysis-uk"' });
  });

  test('counts against the address, not against a credential', async () => {
    const { headers } = await api.call('GET', settingPath);
    expect(headers['ratelimit']).toMatch(/^"failed-authentication";/);
  });
});
