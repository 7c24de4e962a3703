import { expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../../src/runtime/config.ts';

const three = {
  AUTH_JWKS_URL: 'https://login.example/keys',
  AUTH_ISSUER: 'https://login.example/',
  AUTH_AUDIENCE: 'https://api.uk.document-analysis.example',
};
const together = 'is missing: AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE must be given together';

test('an identity provider is described by three variables', () => {
  expect(readConfig(three).identityProvider).toEqual({
    keysUrl: new URL('https://login.example/keys'),
    issuer: 'https://login.example/',
    audience: 'https://api.uk.document-analysis.example',
    organisationClaim: 'organisation_id',
    algorithms: ['RS256'],
    clockSkewSeconds: 30,
  });
});

test('an identity provider may have a claim, algorithms and a clock skew of its own', () => {
  const own = {
    AUTH_ORGANISATION_CLAIM: 'https://login.example/organisation',
    AUTH_ALGORITHMS: 'ES256, PS256',
    AUTH_CLOCK_SKEW_SECONDS: '0',
  };
  expect(readConfig({ ...three, ...own }).identityProvider).toMatchObject({
    organisationClaim: 'https://login.example/organisation',
    algorithms: ['PS256', 'ES256'],
    clockSkewSeconds: 0,
  });
});

test.each(Object.keys(three))('an identity provider is not configured without %s', (name) => {
  expect(() => readConfig({ ...three, [name]: undefined })).toThrow(new ConfigError(`${name} ${together}`));
  expect(() => readConfig({ ...three, [name]: '' })).toThrow(ConfigError);
});

test.each(['http://localhost:9000/keys', 'http://127.0.0.1/keys', 'http://127.9.8.7/keys', 'http://[::1]:1/keys'])(
  'an identity provider may be reached without TLS on this machine, at %s',
  (url) => {
    expect(readConfig({ ...three, AUTH_JWKS_URL: url }).identityProvider?.keysUrl.href).toBe(url);
  },
);

test.each([
  ...['http://login.example/keys', 'http://localhost.example/keys', 'http://127.0.0.1.example/keys'],
  ...['ftp://login.example/keys', 'file:///etc/keys.json', 'https://name@login.example/keys'],
  ...['https://:secret@login.example/keys', 'login.example/keys'],
])('an identity provider is not reached at %s, and the refusal does not repeat it', (url) => {
  expect(() => readConfig({ ...three, AUTH_JWKS_URL: url })).toThrow(
    new ConfigError('AUTH_JWKS_URL must be a URL of https (or of http on localhost), without a user name and password'),
  );
});

test.each(['none', 'HS256', 'RS256,HS512', 'RS256,none', 'rs256', 'RS256,', ''])(
  'an identity provider cannot sign with %j',
  (algorithms) => {
    expect(() => readConfig({ ...three, AUTH_ALGORITHMS: algorithms })).toThrow(
      'AUTH_ALGORITHMS must list some of RS256, PS256, ES256, EdDSA, with commas between them',
    );
  },
);
