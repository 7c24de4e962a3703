import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { sendOne } from '../../support/raw-http.ts';
import { addAccessToken, addOrganisation } from '../../support/tenants.ts';

const path = '/cases/6f1c2a52-5a7e-4d0b-9c38-1f4e8a7b2d10';

describeResponse('getCase', 401, (api) => {
  const newToken = async () => addAccessToken(api.store, await addOrganisation(api.store));

  test.each([
    ...['Basic', 'Basic xbearer', 'xBearer', 'Bearerx', 'Bearer Bearer', 'Token'].map((scheme) => `${scheme} TOKEN`),
    'Bearer TOKEN TOKEN',
  ])('refuses a valid token in %j', async (value) => {
    const authorization = value.replaceAll('TOKEN', await newToken());
    expect((await api.call('GET', path, { headers: { authorization } })).status).toBe(401);
  });

  test('refuses a valid token in the header of the other scheme, and in the query', async () => {
    const token = await newToken();
    expect((await api.call('GET', path, { headers: { 'x-api-key': token } })).status).toBe(401);
    expect((await api.call('GET', `${path}?access_token=${token}`)).status).toBe(401);
  });

  test('refuses a doubled header, even if both hold a valid token', async () => {
    const header = `Authorization: Bearer ${await newToken()}\r\n`;
    const response = await sendOne(api.server, `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}${header}\r\n`);
    expect(response?.status).toBe(401);
  });

  test.each([
    [{}, 'Bearer realm="document-analysis-uk"'],
    [{ authorization: 'Bearer x' }, 'Bearer realm="document-analysis-uk", error="invalid_token"'],
  ])('names an error in the challenge only if a credential was sent: %j', async (headers, challenge) => {
    expect((await api.call('GET', path, { headers })).headers['www-authenticate']).toBe(challenge);
  });
});
