/** The attacks of RFC 8725 on a token's signature and header. Each token differs from a valid one in one thing. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactEncrypt } from 'jose';
import { encodePart, makeKey, published, signToken } from '../support/issuer.ts';
import { startProviderHarness } from '../support/provider-harness.ts';

const key = makeKey('RS256', 'first');
const elliptic = makeKey('ES256', 'elliptic');
const notAllowed = makeKey('EdDSA', 'edwards');
const unspecific = makeKey('RS256', 'unspecific');
const foreign = makeKey('RS256', 'first');
const keys = [key, elliptic, notAllowed, unspecific];
const server = await startProviderHarness({ keys, provider: { algorithms: ['RS256', 'ES256'] } });
delete server.issuer.keys[3]?.['alg'];

const claims = () => server.claims();
const parts = () => signToken(claims(), key).split('.') as [string, string, string];
const withPart = (part: number, text: string) => parts().with(part, text).join('.');
const header = (members: object) => encodePart({ typ: 'at+jwt', ...members });
const withHeader = (members: object) => [header(members), ...parts().slice(1)].join('.');

test.each([key, elliptic, unspecific])('a token of the key $kid is accepted without a forgery', async (signer) => {
  expect((await server.call(signToken(claims(), signer))).status).toBe(200);
});

/** A token whose signature is a keyed hash, for a server that takes its public key for a secret. */
function keyedHash(secret: string | Buffer, kid = 'first'): string {
  const content = `${header({ alg: 'HS256', kid })}.${encodePart(claims())}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

function changed(part: 0 | 1 | 2): string {
  const bytes = Buffer.from(parts()[part], 'base64url');
  bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
  return withPart(part, bytes.toString('base64url'));
}

const forged: Record<string, () => string | Promise<string>> = {
  'that is not signed (alg none)': () => `${header({ alg: 'none' })}.${encodePart(claims())}.`,
  'whose alg is none beside a signature': () => withHeader({ alg: 'none', kid: 'first' }),
  'whose alg is none in other letters': () => withHeader({ alg: 'nOnE', kid: 'first' }),
  'without an alg': () => signToken(claims(), key, { alg: undefined }),
  'whose signature is empty': () => withPart(2, ''),
  'whose signature has one bit changed': () => changed(2),
  'whose claims have one bit changed': () => changed(1),
  'whose claims were replaced': () => withPart(1, encodePart(server.claims({ sub: 'another' }))),
  'whose header was replaced': () => withHeader({ alg: 'RS256', kid: 'first', cty: 'x' }),
  'signed with the public key as the secret, in PEM': () =>
    keyedHash(key.publicKey.export({ type: 'spki', format: 'pem' })),
  'signed with the public key as the secret, in DER': () =>
    keyedHash(key.publicKey.export({ type: 'spki', format: 'der' })),
  'signed with the public key as the secret, as published': () => keyedHash(JSON.stringify(published(key))),
  'signed by another key of the same name': () => signToken(claims(), foreign),
  'signed by a key that is not published': () => signToken(claims(), makeKey('RS256')),
  'that names another published key': () => signToken(claims(), key, { kid: 'unspecific' }),
  'whose key name leads to a file': () => signToken(claims(), foreign, { kid: '../../../../../dev/null' }),
  'whose key name is a query': () => signToken(claims(), foreign, { kid: "x' UNION SELECT 'y" }),
  'whose key name is __proto__': () => signToken(claims(), foreign, { kid: '__proto__' }),
  'whose key name is no text': () => signToken(claims(), key, { kid: ['first'] }),
  'that brings its own key (jwk)': () => signToken(claims(), foreign, { jwk: published(foreign) }),
  'that brings its own key and no name': () =>
    signToken(claims(), foreign, { jwk: published(foreign), kid: undefined }),
  'that brings its own certificate (x5c)': () => signToken(claims(), foreign, { x5c: ['MIIB'] }),
  'signed with an algorithm that is not allowed': () => signToken(claims(), notAllowed),
  'signed with PS256, where RS256 is allowed': () => signToken(claims(), { ...unspecific, alg: 'PS256' }),
  'that names the algorithm of another key': () => withHeader({ alg: 'ES256', kid: 'first' }),
  'with an elliptic signature of zeros': () =>
    `${header({ alg: 'ES256', kid: 'elliptic' })}.${encodePart(claims())}.${Buffer.alloc(64).toString('base64url')}`,
  'that makes an unknown extension critical': () => signToken(claims(), key, { crit: ['exp2'], exp2: 1 }),
  'whose claims are not encoded (b64 false)': () => signToken(claims(), key, { crit: ['b64'], b64: false }),
  'of another type (an ID token, JWT)': () => signToken(claims(), key, { typ: 'JWT' }),
  'of another type (a logout token)': () => signToken(claims(), key, { typ: 'logout+jwt' }),
  'without a type': () => signToken(claims(), key, { typ: undefined }),
  'that is encrypted to the public key': () =>
    new CompactEncrypt(Buffer.from(JSON.stringify(claims())))
      .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', typ: 'at+jwt', kid: 'first' })
      .encrypt(key.publicKey),
};

describe('a token is refused', () => {
  test.each(Object.entries(forged))('%s', async (_name, forge) => {
    const { status, headers, body } = await server.call(await forge());
    expect([status, body]).toMatchObject([401, { error_code: 'request.authentication.invalid-token' }]);
    expect(headers['www-authenticate']).toBe('Bearer realm="document-analysis-uk", error="invalid_token"');
  });

  test('whose header names the address of its keys, and nobody goes there (jku, x5u)', async () => {
    const elsewhere = await startProviderHarness({ keys: [foreign] });
    const address = elsewhere.issuer.provider.keysUrl.href;
    for (const name of ['jku', 'x5u', 'iss'])
      expect((await server.call(signToken(claims(), foreign, { [name]: address }))).status).toBe(401);
    expect(elsewhere.issuer.fetches).toBe(0);
  });

  test('as an API key, however valid it is', async () => {
    const { status } = await server.api.call('GET', '/organisations/features/verification', {
      headers: { 'x-api-key': signToken(claims(), key) },
    });
    expect(status).toBe(401);
  });

  test('of random parts, always by the same response', async () => {
    const text = fc.jsonValue().map((value) => JSON.stringify(value));
    const part = fc.oneof(text, fc.string());
    const member = fc.dictionary(fc.constantFrom('alg', 'kid', 'typ', 'crit', 'b64', 'zip', 'enc'), fc.jsonValue());
    const head = member.map((value) => JSON.stringify({ alg: 'RS256', ...value }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(part, head), part, part, async (...texts) => {
        expect((await server.call(texts.map(encodePart).join('.'))).status).toBe(401);
      }),
      { numRuns: 200 },
    );
  });
});

test('a refusal is explained to the log alone, without the token', async () => {
  const token = signToken(server.claims({ aud: 'https://other.example' }), key);
  const { text } = await server.call(token);
  expect(text).not.toContain('aud');
  const log = server.api.log.join();
  expect(log).toContain('unexpected \\"aud\\" claim value');
  for (const part of token.split('.')) expect(log).not.toContain(part);
});
