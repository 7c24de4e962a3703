import { randomUUID } from 'node:crypto';
import type { FeatureUpdateEntry } from '../../src/domain/audit.ts';
import { type Credential, generateSecret, hashSecret } from '../../src/domain/credential.ts';
import type { StoredCase } from '../../src/domain/case.ts';
import type { Region } from '../../src/domain/region.ts';
import type { Store } from '../../src/store/store.ts';

export async function addOrganisation(store: Store, features: string[] = ['verification']): Promise<string> {
  const id = randomUUID();
  await store.createOrganisation({
    organisation_id: id,
    name: `Organisation ${id}`,
    created_at: '2026-01-01T00:00:00.000Z',
    features,
    verification_enabled: false,
  });
  return id;
}

export function setFeature(store: Store, organisationId: string, enabled: boolean): Promise<FeatureUpdateEntry> {
  const occurredAt = '2026-03-02T11:00:00.000Z';
  return store.updateFeature({ organisationId, feature: 'verification', enabled, occurredAt });
}

export async function addCredential(
  store: Store,
  organisationId: string,
  credential: Pick<Credential, 'kind' | 'role'> & Partial<Credential>,
  region: Region = 'uk',
): Promise<{ secret: string; credentialId: string }> {
  const secret = generateSecret(credential.kind, region);
  const credentialId = randomUUID();
  await store.addCredential(
    {
      credential_id: credentialId,
      organisation_id: organisationId,
      created_at: '2026-01-01T00:00:00.000Z',
      expires_at: null,
      revoked_at: null,
      ...credential,
    },
    hashSecret(secret),
  );
  return { secret, credentialId };
}

export async function addApiKey(store: Store, organisationId: string, role: string): Promise<string> {
  return (await addCredential(store, organisationId, { kind: 'api-key', role })).secret;
}

export async function addAccessToken(store: Store, organisationId: string): Promise<string> {
  return (await addCredential(store, organisationId, { kind: 'access-token', role: null })).secret;
}

export function buildCase(statuses: string[], overrides: Partial<StoredCase> = {}): StoredCase {
  return {
    case_id: randomUUID(),
    label: 'A case',
    metadata: { reference: '1042' },
    locked_at: null,
    created_at: '2026-03-02T09:00:00.000Z',
    updated_at: '2026-03-02T09:00:00.000Z',
    files: statuses.map((status, index) => ({
      file_id: randomUUID(),
      label: `file-${index}.pdf`,
      uploaded_at: `2026-03-02T09:${String(index).padStart(2, '0')}:00.000Z`,
      thumbnail_url: 'https://files.example/thumbnail.png',
      mime_type: status === 'waiting_for_upload' ? 'application/octet-stream' : 'application/pdf',
      analysis_status: status,
      analysis_completed_at: /complete|failed/.test(status)
        ? `2026-03-02T10:${String(index).padStart(2, '0')}:00.000Z`
        : null,
    })),
    ...overrides,
  };
}

export async function addCase(
  store: Store,
  organisationId: string,
  added: StoredCase = buildCase([]),
): Promise<string> {
  await store.importCases(organisationId, [added]);
  return added.case_id;
}
