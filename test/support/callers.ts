import { type OperationId, operations, securitySchemes } from '../../generated/operations.ts';
import type { Store } from '../../src/store/store.ts';
import { addCredential, addOrganisation } from './tenants.ts';

/** What an operation may require of its caller. */
export type Right = 'permission' | 'feature';

/** Somebody who calls an operation. */
interface Caller {
  readonly organisation: string;
  /** The headers that present it, and other credentials that are needed with it. */
  readonly headers: Record<string, string>;
}

/** What the document declares of any operation. */
interface Declared {
  readonly security: readonly (readonly (keyof typeof securitySchemes)[])[];
  readonly requiredPermission: string | null;
  readonly requiredFeature: string | null;
}

/** The schemes of the credentials that `addCaller` gives somebody. */
export function schemesOf(operationId: OperationId): readonly (keyof typeof securitySchemes)[] {
  const { security, requiredPermission }: Declared = operations[operationId];
  // A permission belongs to the role of a key.
  const withRole = security.find((names) => names.some((name) => securitySchemes[name].type === 'apiKey'));
  return (requiredPermission === null ? undefined : withRole) ?? security[0] ?? [];
}

/** Adds an organisation and a credential that may call an operation, or lacks something that it requires. */
export async function addCaller(store: Store, operationId: OperationId, ...missing: readonly Right[]): Promise<Caller> {
  const { requiredPermission, requiredFeature }: Declared = operations[operationId];
  const schemes = schemesOf(operationId);
  const lacks = (right: Right) => missing.includes(right);
  if (schemes.length === 0) throw new Error(`${operationId} is public: nobody needs a credential for it.`);
  const features = requiredFeature === null || lacks('feature') ? [] : [requiredFeature];
  const organisation = await addOrganisation(store, features);
  const role = lacks('permission') ? 'viewer' : 'owner';
  if (requiredPermission !== null) await store.setPermission(role, requiredPermission, !lacks('permission'));
  const secrets = await Promise.all(
    schemes.map(async (scheme) => {
      const kind = securitySchemes[scheme].type === 'apiKey' ? 'api-key' : 'access-token';
      // An access token that the operator issued has no role, and so no permission.
      return (await addCredential(store, organisation, { kind, role: kind === 'api-key' ? role : null })).secret;
    }),
  );
  return {
    organisation,
    headers: Object.assign(
      {},
      ...schemes.map((scheme, index) => presented(scheme, secrets[index] ?? '')),
    ) as Caller['headers'],
  };
}

export function presented(scheme: keyof typeof securitySchemes, secret: string): Record<string, string> {
  const described = securitySchemes[scheme];
  return described.type === 'apiKey' ? { [described.name]: secret } : { authorization: `Bearer ${secret}` };
}
