import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { expectConformance, settingPath } from '../../support/harness.ts';
import { sendOne } from '../../support/raw-http.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

describeResponse('updateVerificationSetting', 415, (api, callAnew) => {
  test.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/x-www-form-urlencoded' }],
    [{ 'content-type': 'multipart/form-data; boundary=x' }],
    [{ 'content-type': 'application/vnd.api+json' }],
    [{ 'content-type': 'application/json-patch+json' }],
    [{ 'content-type': 'application/json; charset=utf-16' }],
    [{ 'content-type': 'application/json; charset=iso-8859-1' }],
    [{ 'content-type': 'json' }],
    [{ 'content-type': '; charset=utf-8' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'br' }],
  ])('refuses a body with %j', async (headers) => {
    const { status, body } = await callAnew(settingPath, { headers, body: '{"enabled":true}' });
    expect([status, body]).toMatchObject([415, { error_code: 'request.media-type.unsupported' }]);
  });

  test('refuses a body without a media type', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    const response = await sendOne(
      api.server,
      `PUT ${settingPath} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Length: 16\r\n\r\n{"enabled":true}`,
    );
    expect(response?.status).toBe(415);
    if (response) expectConformance('PUT', settingPath, response);
  });
});
