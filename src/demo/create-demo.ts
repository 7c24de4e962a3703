import { createHash } from 'node:crypto';
import type { StoredCase } from '../domain/case.ts';
import { issueCredential } from '../domain/issue-credential.ts';
import type { Region } from '../domain/region.ts';
import { ConflictError, NotFoundError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { demoCases, demoIds, demoOrganisations, otherDemoCases } from './demo-data.ts';

/** All that a tester needs to call each operation in each of its states. */
export interface DemoData {
  base_url: string;
  case_base_url: string;
  region: Region;
  owner_key: string;
  member_key: string;
  viewer_key: string;
  revoked_key: string;
  feature_off_key: string;
  access_token: string;
  case_id: string;
  other_access_token: string;
  other_case_id: string;
  empty_case_id: string;
  /** Further credentials with the same rights, for a caller who sends more requests than one credential may. */
  spares: { owner_key: string[]; access_token: string[] };
}

/**
 * Makes the demo's organisations and cases where they do not exist yet, and issues fresh credentials for them. It may
 * be repeated, after an interruption too, and run twice at once.
 * @throws {ConflictError} if another organisation has the name of one of the demo's
 */
export async function createDemo(
  store: Store,
  { baseUrl, region, now }: { baseUrl: string; region: Region; now: () => Date },
): Promise<DemoData> {
  const time = now();
  await createOrganisations(store, time);
  if (!(await caseExists(store, demoIds.case))) {
    await saveCachedResults(store, time);
    await importUnlessDone(store, demoIds.organisation, demoCases(time));
  }
  if (!(await caseExists(store, demoIds.otherCase)))
    await importUnlessDone(store, demoIds.otherOrganisation, otherDemoCases(time));

  const issue = async (organisation: string, role: string | null) => {
    const kind = role === null ? 'access-token' : 'api-key';
    const created = { created_at: time.toISOString(), expires_at: null };
    return issueCredential(store, region, { organisation_id: organisation, kind, role, ...created });
  };
  const owner = async () => (await issue(demoIds.organisation, 'owner')).secret;
  const revoked = await issue(demoIds.organisation, 'owner');
  await store.revokeCredential(revoked.credential_id, time.toISOString());
  return {
    base_url: baseUrl,
    case_base_url: baseUrl,
    region,
    owner_key: await owner(),
    member_key: (await issue(demoIds.organisation, 'member')).secret,
    viewer_key: (await issue(demoIds.organisation, 'viewer')).secret,
    revoked_key: revoked.secret,
    feature_off_key: (await issue(demoIds.featureOffOrganisation, 'owner')).secret,
    access_token: (await issue(demoIds.organisation, null)).secret,
    case_id: demoIds.case,
    other_access_token: (await issue(demoIds.otherOrganisation, null)).secret,
    other_case_id: demoIds.otherCase,
    empty_case_id: demoIds.emptyCase,
    spares: {
      owner_key: [await owner(), await owner()],
      access_token: [(await issue(demoIds.organisation, null)).secret],
    },
  };
}

async function createOrganisations(store: Store, time: Date): Promise<void> {
  for (const organisation of demoOrganisations(time)) {
    const exists = async () =>
      (await store.listOrganisations()).some(({ organisation_id: id }) => id === organisation.organisation_id);
    if (await exists()) continue;
    try {
      await store.createOrganisation(organisation);
    } catch (error) {
      if (!(error instanceof ConflictError) || !(await exists())) throw error;
    }
  }
}

/** Saved before the cases, whose existence marks the demo as complete: the first change of the setting clears them. */
async function saveCachedResults(store: Store, time: Date): Promise<void> {
  for (const content of ['certificate of incorporation', 'VAT registration', 'invoice'])
    await store.saveCachedAnalysisResult({
      organisation_id: demoIds.organisation,
      content_sha256: createHash('sha256').update(content).digest(),
      result: { summary: `Demo result for a ${content}` },
      created_at: time.toISOString(),
    });
}

async function importUnlessDone(store: Store, organisationId: string, cases: StoredCase[]): Promise<void> {
  try {
    await store.importCases(organisationId, cases);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
}

async function caseExists(store: Store, caseId: string): Promise<boolean> {
  try {
    await store.findOwnerOfCase(caseId);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
