import { randomUUID } from 'node:crypto';
import { generateSecret, hashSecret } from '../../src/domain/secret.ts';
import type { Store } from '../../src/store/store.ts';

export type Engine = 'sqlite' | 'postgres';

/** An organisation whose operations are timed. */
export interface Tenant {
  readonly organisationId: string;
  /** The secret of an owner's API key. */
  readonly apiKey: string;
  readonly accessToken: string;
}

/** A case and who may read it. */
export interface OwnedCase {
  readonly caseId: string;
  readonly accessToken: string;
}

/** A store of its own for one run, which grows. */
export interface GrowingStore {
  /** Variables that lead the program to it, beside its data directory. */
  readonly environment: NodeJS.ProcessEnv;
  readonly tenants: readonly Tenant[];
  /** Adds cases of so many files each, reports how many it has added, and returns as many of them as are wanted. */
  add(cases: number, filesOfEach: number, wanted: number, tell?: (added: number) => void): Promise<OwnedCase[]>;
  /** Brings what the engine knows of its tables up to date, as it does by itself after a while. */
  settle(): Promise<void>;
  /** How many bytes it takes on disk. */
  bytes(): Promise<number>;
  remove(): Promise<void>;
}

export const organisations = 100;
/** How many cases are inserted in one transaction, at most. */
export const casesOfInsertion = 10_000;

const createdAt = '2026-01-01T00:00:00.000Z';

/** Makes the organisations, each with its credentials. */
export async function addTenants(store: Store): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for (let number = 0; number < organisations; number += 1) {
    const organisationId = randomUUID();
    await store.createOrganisation({
      organisation_id: organisationId,
      name: `Organisation ${number}`,
      created_at: createdAt,
      features: ['verification'],
      verification_enabled: false,
    });
    const tenant = {
      organisationId,
      apiKey: generateSecret('api-key', 'uk'),
      accessToken: generateSecret('access-token', 'uk'),
    };
    const common = { organisation_id: organisationId, created_at: createdAt, expires_at: null, revoked_at: null };
    await store.addCredential(
      { ...common, credential_id: randomUUID(), kind: 'api-key', role: 'owner' },
      hashSecret(tenant.apiKey),
    );
    await store.addCredential(
      { ...common, credential_id: randomUUID(), kind: 'access-token', role: null },
      hashSecret(tenant.accessToken),
    );
    tenants.push(tenant);
  }
  return tenants;
}

/** A case as the stores give it. */
export interface OwnedRow {
  readonly case_id: string;
  readonly organisation_id: string;
}

/** The cases of these rows that belong to a tenant. */
export function ownedBy(tenants: readonly Tenant[], rows: readonly OwnedRow[]): OwnedCase[] {
  const tokens = new Map(tenants.map(({ organisationId, accessToken }) => [organisationId, accessToken]));
  return rows.flatMap(({ case_id: caseId, organisation_id: id }) => {
    const accessToken = tokens.get(id);
    return accessToken === undefined ? [] : [{ caseId, accessToken }];
  });
}
