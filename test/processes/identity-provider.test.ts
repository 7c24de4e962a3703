/** The server beside a real OpenID provider, each a process of its own. */
import { expect, test } from '@jest/globals';
import { addTenant, startNode, startServer, stop, told } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const audience = 'https://api.uk.document-analysis.example';

test('a client of an OpenID provider reads a case with the access token that it was given there', async () => {
  const dataDir = await makeTemporaryFolder();
  const { caseId, organisationId } = await addTenant(dataDir);
  const { caseId: otherCaseId } = await addTenant(dataDir);
  const provider = startNode(['test/support/openid-provider.ts'], { ORGANISATION_ID: organisationId });
  const issuer = await told(provider, /Issuer (\S+)\n/);
  const metadata = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri: keysUrl } = (await metadata.json()) as { jwks_uri: string };
  const environment = { AUTH_JWKS_URL: keysUrl, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience };
  const server = await startServer({ dataDir, environment });

  const read = async (id: string, token: string) =>
    (await fetch(`${server.url}/cases/${id}`, { headers: { authorization: `Bearer ${token}` } })).status;
  const token = await accessToken(issuer, { resource: audience });
  expect(await read(caseId, token)).toBe(200);
  expect(await read(otherCaseId, token)).toBe(404);
  expect(await read(caseId, await accessToken(issuer, { resource: 'https://other.example' }))).toBe(401);
  expect(await read(caseId, await accessToken(issuer, {}))).toBe(401);

  await stop(server);
  expect(server.stderr()).not.toContain(token.split('.')[2]);
});

async function accessToken(issuer: string, parameters: Record<string, string>): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('service:only-for-this-test')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...parameters }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
