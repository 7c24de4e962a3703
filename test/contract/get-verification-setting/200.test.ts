import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { generateSecret } from '../../../src/domain/credential.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

describeResponse('getVerificationSetting', 200, (api, callAnew) => {
  test('is off until somebody switches it on, shown to every key that may read it, and to no other organisation', async () => {
    const { store } = api;
    const [own, other] = [await addOrganisation(store), await addOrganisation(store)];
    const [owner, member] = [await addApiKey(store, own, 'owner'), await addApiKey(store, own, 'member')];
    const stranger = await addApiKey(store, other, 'owner');
    const read = async (key: string) =>
      (await api.call('GET', settingPath, { headers: { 'x-api-key': key } })).body as { enabled: boolean };
    expect(await read(owner)).toEqual({ enabled: false });
    await api.call('PUT', settingPath, { headers: { 'x-api-key': owner }, body: { enabled: true } });
    expect([await read(owner), await read(member)]).toEqual([{ enabled: true }, { enabled: true }]);
    expect(await read(stranger)).toEqual({ enabled: false });
  });

  test('ignores query parameters and a body', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { status } = await callAnew(`${settingPath}?unknown=1&unknown[x]=2`, { headers, body: 'ignored' });
    expect(status).toBe(200);
  });

  test.each([
    ['takes over a well-formed X-Request-Id', 'trace-1.2_3~4', /^trace-1\.2_3~4$/],
    ['replaces what is no identifier', '<script>', /^[0-9a-f-]{36}$/],
    ['replaces an identifier that is too long', 'x'.repeat(129), /^[0-9a-f-]{36}$/],
    ['replaces a secret', `key${generateSecret('api-key', 'uk')}`, /^[0-9a-f-]{36}$/],
    ['replaces a secret of another region', generateSecret('access-token', 'ca'), /^[0-9a-f-]{36}$/],
  ])('%s', async (_what, sent, id) => {
    expect((await callAnew(settingPath, { headers: { 'x-request-id': sent } })).headers['x-request-id']).toMatch(id);
  });
});
