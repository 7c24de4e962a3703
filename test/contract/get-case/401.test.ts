import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { sendOne } from '../../support/raw-http.ts';
import { addAccessToken, addOrganisation } from '../../support/tenants.ts';

const path = '/cases/6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';

describeResponse('getCase', 401, (api) => {
  test.each(['Basic', 'Basic xbearer', 'xBearer', 'Bearerx', 'Bearer Bearer', 'Token'])(
    'refuses a valid token behind the scheme %s',
    async (scheme) => {
      const token = await addAccessToken(api.store, await addOrganisation(api.store));
      const { status } = await api.call('GET', path, { headers: { authorization: `${scheme} ${token}` } });
      expect(status).toBe(401);
    },
  );

  test('refuses a valid token in the header of the other scheme, and in the query', async () => {
    const token = await addAccessToken(api.store, await addOrganisation(api.store));
    expect((await api.call('GET', path, { headers: { 'x-api-key': token } })).status).toBe(401);
    expect((await api.call('GET', `${path}?access_token=${token}`)).status).toBe(401);
  });

  test('refuses a valid token with something behind it', async () => {
    const token = await addAccessToken(api.store, await addOrganisation(api.store));
    const { status } = await api.call('GET', path, { headers: { authorization: `Bearer ${token} ${token}` } });
    expect(status).toBe(401);
  });

  test('refuses a doubled header, even if both hold a valid token', async () => {
    const token = await addAccessToken(api.store, await addOrganisation(api.store));
    const header = `Authorization: Bearer ${token}\r\n`;
    const response = await sendOne(api.server, `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}${header}\r\n`);
    expect(response?.status).toBe(401);
  });

  test('names an error in the challenge only if a credential was sent', async () => {
    const challenge = async (headers: Record<string, string>) =>
      (await api.call('GET', path, { headers })).headers['www-authenticate'];
    expect(await challenge({})).toBe('Bearer realm="document-analysis-uk"');
    expect(await challenge({ authorization: 'Bearer x' })).toBe(
      'Bearer realm="document-analysis-uk", error="invalid_token"',
    );
  });
});
