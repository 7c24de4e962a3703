import { expect, jest, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

describeResponse('getVerificationSetting', 200, (api) => {
  test('is off until somebody switches it on', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    const { status, body } = await api.call('GET', settingPath, { headers: { 'x-api-key': key } });
    expect([status, body]).toEqual([200, { enabled: false }]);
  });

  test('shows what was saved, to every key of the organisation that may read it', async () => {
    const organisation = await addOrganisation(api.store);
    const owner = await addApiKey(api.store, organisation, 'owner');
    const member = await addApiKey(api.store, organisation, 'member');
    await api.call('PUT', settingPath, { headers: { 'x-api-key': owner }, body: { enabled: true } });
    const { body } = await api.call('GET', settingPath, { headers: { 'x-api-key': member } });
    expect(body).toEqual({ enabled: true });
  });

  test("never shows another organisation's setting", async () => {
    const owner = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    const stranger = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    await api.call('PUT', settingPath, { headers: { 'x-api-key': owner }, body: { enabled: true } });
    const { body } = await api.call('GET', settingPath, { headers: { 'x-api-key': stranger } });
    expect(body).toEqual({ enabled: false });
  });

  test('ignores query parameters and a body', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    const { status } = await api.call('GET', `${settingPath}?unknown=1&unknown[x]=2`, {
      headers: { 'x-api-key': key, 'content-type': 'text/plain' },
      body: 'ignored',
    });
    expect(status).toBe(200);
  });

  test('takes over a well-formed X-Request-Id and replaces any other', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    const requestId = async (sent: string) => {
      const { headers } = await api.call('GET', settingPath, { headers: { 'x-api-key': key, 'x-request-id': sent } });
      return headers['x-request-id'];
    };
    expect(await requestId('trace-1.2_3~4')).toBe('trace-1.2_3~4');
    expect(await requestId('<script>')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await requestId('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('states the limit of the credential and what is left of it', async () => {
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    // The seconds of the window are counted down meanwhile, on a loaded machine past the first.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    await api.call('GET', settingPath, { headers: { 'x-api-key': key } });
    const { headers } = await api.call('GET', settingPath, { headers: { 'x-api-key': key } });
    clock.mockRestore();
    expect(headers).toMatchObject({
      'ratelimit-policy': '"credential";q=600;w=60',
      ratelimit: '"credential";r=598;t=60',
    });
    expect(headers).not.toHaveProperty('retry-after');
  });
});
