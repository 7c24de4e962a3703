/** Who may call an operation: asked when a request has come in, and again in each transaction in which it writes. */
import type { RequestHandler } from 'express';
import { credentialState } from '../../domain/credential.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Authorisation, HeldRights } from '../../store/store.ts';
import { type MatchedOperation, isPublic, operationOf, principalOf } from '../api-description.ts';
import { Refusal } from '../errors.ts';

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
 * What the writes of a request depend on. The refusal of one that has lost its right is that of a request that comes now;
 * `unknown` makes it for a caller whose credential is not valid any more.
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
