import { type OperationId, operations, securitySchemes } from '../../generated/operations.ts';
import type { Store } from '../../src/store/store.ts';
import { addCredential, addOrganisation } from './tenants.ts';

/** Somebody who calls an operation. */
export interface Caller {
  readonly organisation: string;
  readonly secret: string;
  /** The headers that present it, and other credentials that are needed with it. */
  readonly headers: Record<string, string>;
}

/** What the document declares of any operation. */
interface Declared {
  readonly security: readonly (readonly (keyof typeof securitySchemes)[])[];
  readonly requiredPermission: string | null;
  readonly requiredFeature: string | null;
}

/** Adds an organisation and a credential that may call an operation, or lacks one thing that it requires. */
export async function addCaller(
  store: Store,
  operationId: OperationId,
  missing?: 'permission' | 'feature',
): Promise<Caller> {
  const { security, requiredPermission, requiredFeature }: Declared = operations[operationId];
  // A permission belongs to the role of a key.
  const withRole = security.find((names) => names.some((name) => securitySchemes[name].type === 'apiKey'));
  const schemes = (requiredPermission === null ? undefined : withRole) ?? security[0] ?? [];
  if (schemes.length === 0) throw new Error(`${operationId} is public: nobody needs a credential for it.`);
  const features = requiredFeature === null || missing === 'feature' ? [] : [requiredFeature];
  const organisation = await addOrganisation(store, features);
  const role = missing === 'permission' ? 'viewer' : 'owner';
  if (requiredPermission !== null) await store.setPermission(role, requiredPermission, missing !== 'permission');
  const secrets = await Promise.all(
    schemes.map(async (scheme) => {
      const kind = securitySchemes[scheme].type === 'apiKey' ? 'api-key' : 'access-token';
      // An access token that the operator issued has no role, and so no permission.
      return (await addCredential(store, organisation, { kind, role: kind === 'api-key' ? role : null })).secret;
    }),
  );
  return {
    organisation,
    secret: secrets[0] ?? '',
    headers: Object.assign(
      {},
      ...schemes.map((scheme, index) => presented(scheme, secrets[index] ?? '')),
    ) as Caller['headers'],
  };
}

function presented(scheme: keyof typeof securitySchemes, secret: string): Record<string, string> {
  const described = securitySchemes[scheme];
  return described.type === 'apiKey' ? { [described.name]: secret } : { authorization: `Bearer ${secret}` };
}
