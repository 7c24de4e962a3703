/**
 * Authentication and authorisation. `identify` finds the principal with one look-up, which also yields its rights, and
 * `requirePrincipal` refuses a request without one; the rate limit stands between them. Rights are checked when a
 * request arrives, and again in each transaction that writes.
 */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import {
  credentialState,
  type CredentialKind,
  hashesMatch,
  hashSecret,
  isWellFormedSecret,
} from '../../domain/credential.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Region } from '../../domain/region.ts';
import { Refusal } from '../errors.ts';
import { type FindTokenBearer, isSignedJwt } from '../../identity-provider/settings.ts';
import type { Authorisation, HeldRights, OperationStore } from '../../store/store.ts';
import { type ApiDescription, isPublic, type MatchedOperation, operationOf, principalOf } from '../api-description.ts';
import type { AnyOperationHandler } from '../operation.ts';
import { headerValues } from './arrival.ts';

interface Presentation {
  readonly kind: CredentialKind;
  /** In lower case. */
  readonly header: string;
  /** Extracts the secret from the header's value; undefined if the value is malformed. */
  readonly read: (value: string) => string | undefined;
  /** The challenge of a 401 response, by the realm and whether a credential was sent (RFC 9110, RFC 6750). */
  readonly challenge: (realm: string, sent: boolean) => string;
}

/** An operation with a scheme that is none of these is not served. */
type Presentations = ReadonlyMap<string, Presentation>;

/** How credentials are presented, by the names of the document's security schemes. */
export function presentationsOf(securitySchemes: ApiDescription['securitySchemes']): Presentations {
  return new Map(
    Object.entries(securitySchemes).map(([name, scheme]) => [
      name,
      scheme.type === 'apiKey' ? apiKeyIn(scheme.name.toLowerCase()) : bearerToken,
    ]),
  );
}

const apiKeyIn = (header: string): Presentation => ({
  kind: 'api-key',
  header,
  read: (value) => value,
  challenge: (realm) => `ApiKey realm="${realm}"`,
});

const bearerToken: Presentation = {
  kind: 'access-token',
  header: 'authorization',
  read: (value) => /^Bearer +(\S+)$/i.exec(value)?.[1],
  challenge: (realm, sent) => `Bearer realm="${realm}"${sent ? ', error="invalid_token"' : ''}`,
};

/** Finds the principal of a secret of this kind, if it has one. `caseId` is the case that the operation will read. */
export type FindPrincipal = (secret: string, kind: CredentialKind, caseId?: string) => Promise<Principal | undefined>;

/**
 * Finds the principal of the operation's first security requirement that is met. A requirement with several schemes is
 * met if each has a valid credential of the same organisation; the principal is that of the first scheme.
 */
export function identify(
  presentations: Presentations,
  findPrincipal: FindPrincipal,
  handlers: ReadonlyMap<string, AnyOperationHandler>,
): RequestHandler {
  const find = (request: Request, name: string): Promise<Principal | undefined> | undefined => {
    const presentation = presentations.get(name) as Presentation;
    const secret = presentedSecret(request, presentation);
    if (secret === undefined) return undefined;
    const { caseIdOf } = handlers.get(operationOf(request).operationId) ?? {};
    return findPrincipal(secret, presentation.kind, caseIdOf?.(request.params));
  };
  const findAll = async (request: Request, names: readonly string[]): Promise<Principal | undefined> => {
    const principals: Principal[] = [];
    for (const name of names) {
      const principal = await find(request, name);
      if (!principal || principal.organisationId !== (principals[0] ?? principal).organisationId) return undefined;
      principals.push(principal);
    }
    const [first, ...others] = principals;
    return first && { ...first, others };
  };
  return async (request, _response, next) => {
    for (const names of operationOf(request).security) {
      request.principal = await (names.length === 1 ? find(request, names[0] as string) : findAll(request, names));
      if (request.principal) break;
    }
    next();
  };
}

/** Called when a valid credential was presented. It must not block. */
export type RecordUse = (credentialId: string, at: Date) => void;

/**
 * Finds the principal of a valid credential of the region's store or, with `findTokenBearer`, of an identity provider's
 * access token.
 */
export function principalsOf(
  region: Region,
  store: Pick<OperationStore, 'findCredential'>,
  {
    now,
    recordUse = () => undefined,
    findTokenBearer,
  }: { now: () => Date; recordUse?: RecordUse | undefined; findTokenBearer?: FindTokenBearer | undefined },
): FindPrincipal {
  return async (secret, kind, caseId) => {
    if (findTokenBearer && kind === 'access-token' && isSignedJwt(secret)) return findTokenBearer(secret);
    if (!isWellFormedSecret(secret, kind, region)) return undefined;
    const hash = hashSecret(secret);
    const credential = await store.findCredential(hash, caseId);
    if (!credential || credential.kind !== kind || !hashesMatch(credential.secret_sha256, hash)) return undefined;
    const at = now();
    if (credentialState(credential, at) !== 'active') return undefined;
    recordUse(credential.credential_id, at);
    return {
      credentialId: credential.credential_id,
      kind,
      organisationId: credential.organisation_id,
      permissions: credential.permissions,
      features: credential.features,
      prefetched: credential.prefetched,
    };
  };
}

export type ChallengeOf = (request: Request) => Refusal;

/** Refusals that are the same whatever is wrong with a credential; each names all schemes that the operation accepts. */
export function challengesOf(presentations: Presentations, region: Region): ChallengeOf {
  const realm = `document-analysis-${region}`;
  return (request) => {
    const challenges = operationOf(request).schemes.map((name) => {
      const { header, challenge } = presentations.get(name) as Presentation;
      return challenge(realm, request.headers[header] !== undefined);
    });
    const headers = { 'WWW-Authenticate': challenges.join(', ') };
    return new Refusal('request.authentication.invalid-token', { headers });
  };
}

/** Refuses a request whose principal is unknown, unless its operation is public. */
export function requirePrincipal(challengeOf: ChallengeOf): RequestHandler {
  return (request, _response, next) => {
    next(request.principal || isPublic(operationOf(request)) ? undefined : challengeOf(request));
  };
}

/** A header that was sent twice is ambiguous and counts as malformed. */
function presentedSecret(request: IncomingMessage, { header, read }: Presentation): string | undefined {
  const values = headerValues(request, header);
  return values.length === 1 ? read(values[0] as string) : undefined;
}

/** Refuses a caller without the permission, then one without the feature, that the document requires of the operation. */
export const authorise: RequestHandler = (request, _response, next) => {
  const operation = operationOf(request);
  next(isPublic(operation) ? undefined : refusalOf(operation, principalOf(request)));
};

/** Why a principal may not call an operation: first the permission, then the feature that the document requires of it. */
function refusalOf(
  { requiredPermission, requiredFeature }: Pick<MatchedOperation, 'requiredPermission' | 'requiredFeature'>,
  { permissions, features }: Pick<Principal, 'permissions' | 'features'>,
): Refusal | undefined {
  if (requiredPermission !== null && !permissions.includes(requiredPermission)) return new Refusal('request.forbidden');
  if (requiredFeature !== null && !features.includes(requiredFeature))
    return new Refusal('request.organisations.feature-flag.not-enabled');
  return undefined;
}

/**
 * The rights that a transaction of this request checks before it writes. A caller who has lost them meanwhile gets the
 * response that a new request would get; `unknown` makes it for a credential that is no longer valid.
 */
export function authorisationOf(
  operation: MatchedOperation,
  principal: Principal,
  { unknown, now }: { unknown: () => Refusal; now: () => Date },
): Authorisation {
  const callers = [principal, ...(principal.others ?? [])];
  return {
    callers,
    check: (rights) => {
      const at = now();
      const current = callers.map((caller, index) => renewed(caller, rights[index], at));
      const [first] = current;
      const refusal = first && current.every(Boolean) ? refusalOf(operation, first) : unknown();
      if (refusal) throw new Error('The caller has lost the right to this write.', { cause: refusal });
    },
  };
}

/** A caller with the rights that it has now; undefined if its credential is not valid any more. */
function renewed(caller: Principal, held: HeldRights | undefined, at: Date): Principal | undefined {
  if (!held) return undefined;
  const { tokenExpiresAt } = caller;
  const { features } = held;
  if (tokenExpiresAt) return at < tokenExpiresAt ? { ...caller, features } : undefined;
  const { credential } = held;
  if (credential?.kind !== caller.kind || credentialState(credential, at) !== 'active') return undefined;
  return { ...caller, permissions: held.permissions, features };
}
