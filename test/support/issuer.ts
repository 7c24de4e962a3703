/** Tokens are signed here with Node's own cryptography, so that the tests do not rest on the library that verifies them. */
import {
  constants,
  createHash,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import { createServer } from 'node:http';
import type { IdentityProvider } from '../../src/identity-provider/settings.ts';
import { listenOnFreePort } from './listen-on-free-port.ts';

type Algorithm = IdentityProvider['algorithms'][number];
export type Claims = Record<string, unknown>;

export interface IssuerKey {
  readonly alg: Algorithm;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const generators = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

const signers: Record<Algorithm, (content: Buffer, key: KeyObject) => Buffer> = {
  RS256: (content, key) => sign('sha256', content, key),
  PS256: (content, key) => sign('sha256', content, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  ES256: (content, key) => sign('sha256', content, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (content, key) => sign(null, content, key),
};

/** Makes a key pair; its name (`kid`) is its thumbprint, if none is given. */
export function makeKey(alg: Algorithm, kid?: string): IssuerKey {
  const { privateKey, publicKey } = generators[alg]();
  const thumbprint = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { alg, kid: kid ?? thumbprint, privateKey, publicKey };
}

export function published({ alg, kid, publicKey }: IssuerKey): JsonWebKey {
  return { ...publicKey.export({ format: 'jwk' }), alg, kid, use: 'sig' };
}

export function encodePart(part: object | string): string {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

/** Signs claims into an access token whose header has these further or other members. */
export function signToken(claims: Claims | string, key: IssuerKey, header: Record<string, unknown> = {}): string {
  const { alg, kid, privateKey } = key;
  const content = `${encodePart({ typ: 'at+jwt', alg, kid, ...header })}.${encodePart(claims)}`;
  return `${content}.${signers[alg](Buffer.from(content), privateKey).toString('base64url')}`;
}

/** An identity provider that publishes over HTTP the keys that a test decides. */
export async function startIssuer(keys: IssuerKey[], overrides: Partial<IdentityProvider> = {}) {
  const server = createServer((_request, response) => {
    issuer.fetches += 1;
    response.once('close', () => (issuer.abandoned += response.writableFinished ? 0 : 1));
    if (issuer.fault === 'silent') return;
    const { status, body } = issuer.fault ?? { status: 200, body: JSON.stringify({ keys: issuer.keys }) };
    response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' }).end(body);
  });
  const { url, close } = await listenOnFreePort(server);
  const audience = 'https://api.uk.document-analysis.example';
  const settings = { keysUrl: new URL('/keys', url), issuer: url, audience, organisationClaim: 'organisation_id' };
  const issuer = {
    /** The configuration of a server that accepts its tokens. */
    provider: { ...settings, algorithms: ['RS256'], clockSkewSeconds: 30, ...overrides } satisfies IdentityProvider,
    keys: keys.map(published),
    fetches: 0,
    /** How many of those that asked have given up waiting. */
    abandoned: 0,
    /** What it does in place of responding with the keys, if anything. */
    fault: undefined as { status: number; body: string } | 'silent' | undefined,
    /** The claims of a token for an organisation that is valid for five minutes from a moment on. */
    claims: (organisationId: string, from: Date): Claims => {
      const iat = Math.floor(from.getTime() / 1000);
      const bearer = { sub: 'service@client.example', client_id: 'client-1', organisation_id: organisationId };
      return { iss: url, aud: audience, jti: randomUUID(), iat, exp: iat + 300, ...bearer };
    },
    close,
  };
  return issuer;
}
