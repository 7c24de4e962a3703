/**
 * An OpenID provider as a process of its own. Its one client, `service`, acts for the organisation ORGANISATION_ID and
 * gets access tokens for whatever audience it asks for (RFC 8707). It says on stdout where it is.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

const server = createServer().listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'service',
        client_secret: 'only-for-this-test',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({ scope: '', audience, accessTokenFormat: 'jwt' }),
      },
    },
    extraTokenClaims: () => ({ organisation_id: process.env['ORGANISATION_ID'] }),
  });
  server.on('request', (request, response) => void provider.callback()(request, response));
  process.stdout.write(`Issuer ${issuer}\n`);
});
