import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

const limit = 16 * 1024;
const bodyOf = (length: number) => '{"enabled":true}'.padStart(length);

describeResponse('updateVerificationSetting', 413, (api) => {
  const key = async () => addApiKey(api.store, await addOrganisation(api.store), 'owner');

  test('refuses a body of one byte too many, and accepts the largest', async () => {
    const headers = { 'x-api-key': await key(), 'content-type': 'application/json' };
    expect((await api.call('PUT', settingPath, { headers, body: bodyOf(limit) })).status).toBe(200);
    const { status, body } = await api.call('PUT', settingPath, { headers, body: bodyOf(limit + 1) });
    expect([status, body]).toMatchObject([413, { error_code: 'request.body.too-large' }]);
  });

  test.each([
    ['announced', (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
    [
      'chunked',
      (body: string) => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])('leaves the connection usable after a body that was %s', async (_name, framed) => {
    const head = `PUT ${settingPath} HTTP/1.1\r\nHost: x\r\nx-api-key: ${await key()}\r\nContent-Type: application/json\r\n`;
    const responses = await sendRaw(api.server, head + framed(bodyOf(1_000_000)) + head + framed(bodyOf(16)));
    expect(responses.map(({ status }) => status)).toEqual([413, 200]);
  });

  test('does not ask for a body that it will refuse', async () => {
    const head = `PUT ${settingPath} HTTP/1.1\r\nHost: x\r\nx-api-key: ${await key()}\r\nContent-Type: application/json\r\n`;
    const refused = await sendRaw(api.server, `${head}Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n`);
    expect(refused.map(({ status }) => status)).toEqual([413]);
    for (const length of [16, limit]) {
      const accepted = await sendRaw(
        api.server,
        `${head}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n${bodyOf(length)}`,
      );
      expect(accepted.map(({ status }) => status)).toEqual([100, 200]);
    }
  });
});
