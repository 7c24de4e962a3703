/**
 * Authentication in two steps, so that the rate limit can stand between them: `identify` finds who is calling, with the
 * one look-up that yields all of the caller's rights; `requirePrincipal` refuses whoever was not found.
 */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { credentialState } from '../../domain/credential.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Region } from '../../domain/region.ts';
import { type CredentialKind, hashesMatch, hashSecret, isWellFormedSecret } from '../../domain/secret.ts';
import { Refusal } from '../errors.ts';
import { type FindTokenBearer, isSignedJwt } from '../../identity-provider/token-bearer.ts';
import type { OperationStore } from '../../store/store.ts';
import { type MatchedOperation, operationOf } from '../request-state.ts';

interface Scheme {
  readonly kind: CredentialKind;
  readonly header: string;
  /** The secret in the header's value, if that has the scheme's form. */
  read(value: string): string | undefined;
  /** The challenge of a 401 answer, by the realm and whether a credential was sent (RFC 9110, RFC 6750). */
  challenge(realm: string, sent: boolean): string;
}

const schemes: Record<MatchedOperation['securityScheme'], Scheme> = {
  apiKey: {
    kind: 'api-key',
    header: 'x-api-key',
    read: (value) => value,
    challenge: (realm) => `ApiKey realm="${realm}"`,
  },
  accessToken: {
    kind: 'access-token',
    header: 'authorization',
    read: (value) => /^Bearer +(\S+)$/i.exec(value)?.[1],
    challenge: (realm, sent) => `Bearer realm="${realm}"${sent ? ', error="invalid_token"' : ''}`,
  },
};

/** Finds whom a secret of this kind stands for, if anybody. */
export type FindPrincipal = (secret: string, kind: CredentialKind) => Promise<Principal | undefined>;

/** Finds the principal that the operation's credential stands for. */
export function identify(findPrincipal: FindPrincipal): RequestHandler {
  return async (request, _response, next) => {
    const scheme = schemes[operationOf(request).securityScheme];
    const secret = presentedSecret(request, scheme);
    const principal = secret === undefined ? undefined : await findPrincipal(secret, scheme.kind);
    request.principal = principal;
    next();
  };
}

/**
 * Finds the principal of a credential that the region's store holds and that is valid now. With `findTokenBearer`, the
 * access tokens of an identity provider are credentials too.
 */
export function principalsOf(
  region: Region,
  store: Pick<OperationStore, 'findCredential'>,
  now: () => Date,
  findTokenBearer?: FindTokenBearer,
): FindPrincipal {
  return async (secret, kind) => {
    if (findTokenBearer && kind === 'access-token' && isSignedJwt(secret)) return findTokenBearer(secret);
    if (!isWellFormedSecret(secret, kind, region)) return undefined;
    const hash = hashSecret(secret);
    const credential = await store.findCredential(hash);
    if (!credential || credential.kind !== kind || !hashesMatch(credential.secret_sha256, hash)) return undefined;
    if (credentialState(credential, now()) !== 'active') return undefined;
    return {
      credentialId: credential.credential_id,
      organisationId: credential.organisation_id,
      permissions: new Set(credential.permissions),
      features: new Set(credential.features),
    };
  };
}

/** Refuses a request whose principal is unknown. The answer is the same whatever is wrong with the credential. */
export function requirePrincipal(region: Region): RequestHandler {
  const realm = `document-analysis-${region}`;
  return (request, _response, next) => {
    if (request.principal) {
      next();
      return;
    }
    const scheme = schemes[operationOf(request).securityScheme];
    const headers = { 'WWW-Authenticate': scheme.challenge(realm, request.headers[scheme.header] !== undefined) };
    next(new Refusal('request.authentication.invalid-token', { headers }));
  };
}

/** A header that was sent twice is ambiguous and counts as malformed. */
function presentedSecret(request: IncomingMessage, scheme: Scheme): string | undefined {
  const values = request.headersDistinct[scheme.header];
  return values?.length === 1 && values[0] !== undefined ? scheme.read(values[0]) : undefined;
}
