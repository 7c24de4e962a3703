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

/** A case with the token of its owner. */
export interface OwnedCase {
  readonly caseId: string;
  readonly accessToken: string;
}

/** A growing store for a single run. */
export interface GrowingStore {
  /** The environment variables of its location, in addition to the data directory. */
  readonly environment: NodeJS.ProcessEnv;
  readonly tenants: readonly Tenant[];
  /** Adds cases with this many files each, reports how many it has added, and returns as many of them as wanted. */
  add(cases: number, filesOfEach: number, wanted: number, tell?: (added: number) => void): Promise<OwnedCase[]>;
  /** Updates the engine's statistics, which it otherwise does itself after a while. */
  settle(): Promise<void>;
  /** Its size on disk. */
  bytes(): Promise<number>;
  remove(): Promise<void>;
}

export const organisations = 100;
/** The maximum number of cases per transaction. */
export const casesOfInsertion = 10_000;

const createdAt = '2026-01-01T00:00:00.000Z';

/** Creates the organisations with their credentials. */
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

/** A case as the stores return it. */
export interface OwnedRow {
  readonly case_id: string;
  readonly organisation_id: string;
}

/** The cases in these rows whose owner is a tenant. */
export function ownedBy(tenants: readonly Tenant[], rows: readonly OwnedRow[]): OwnedCase[] {
  const tokens = new Map(tenants.map(({ organisationId, accessToken }) => [organisationId, accessToken]));
  return rows.flatMap(({ case_id: caseId, organisation_id: id }) => {
    const accessToken = tokens.get(id);
    return accessToken === undefined ? [] : [{ caseId, accessToken }];
  });
}
