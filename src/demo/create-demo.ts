import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { analyse, type AnalysisParts, takeNext } from '../analysis/analyse-next.ts';
import { analysisParts } from '../analysis/open-worker.ts';
import { hasEnded } from '../domain/case.ts';
import { issueCredential } from '../domain/credential.ts';
import type { Organisation } from '../domain/organisation.ts';
import { millisecondsOfDay } from '../domain/time.ts';
import { addFiles, expectFile } from '../files/add-files.ts';
import type { Config } from '../runtime/config.ts';
import { ConflictError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import { type DemoCase, demoCases, demoDays, demoIds, demoOrganisations } from './demo-data.ts';

/** The credentials and identifiers with which a tester can call each operation. */
export type DemoData = Awaited<ReturnType<typeof createDemo>>;

export interface DemoContext {
  readonly store: Store;
  readonly baseUrl: string;
  readonly now: () => Date;
}

type DemoConfig = Pick<Config, 'region' | 'files'> & Parameters<typeof analysisParts>[0];

/**
 * Creates the demo's organisations if they do not exist, and each time new cases and credentials. It can be repeated
 * after an interruption, and run concurrently.
 * @throws {ConflictError} if another organisation has the name of one of the demo's
 */
export async function createDemo(config: DemoConfig, context: DemoContext) {
  const { store, baseUrl, now } = context;
  const { region } = config;
  const time = now();
  for (const organisation of demoOrganisations(time)) await prepare(store, organisation);

  const { supplier, empty, other } = demoCases(region);
  const [caseId, emptyCaseId, otherCaseId] = await Promise.all([
    createCase(demoIds.organisation, supplier, config, context),
    createCase(demoIds.organisation, empty, config, context),
    createCase(demoIds.otherOrganisation, other, config, context),
  ]);

  const expiresAt = new Date(time.getTime() + demoDays * millisecondsOfDay).toISOString();
  const issue = (organisation: string, role: string | null) => {
    const kind = role === null ? 'access-token' : 'api-key';
    const created = { created_at: time.toISOString(), expires_at: expiresAt };
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
    case_id: caseId,
    other_access_token: (await issue(demoIds.otherOrganisation, null)).secret,
    other_case_id: otherCaseId,
    empty_case_id: emptyCaseId,
    /** Further credentials with the same rights, for a caller who sends more requests than one credential may. */
    spares: {
      owner_key: [await owner(), await owner()],
      access_token: [(await issue(demoIds.organisation, null)).secret],
    },
  };
}

/** Creates an organisation of the demo, or restores its feature. */
async function prepare(store: Store, organisation: Organisation): Promise<void> {
  const { organisation_id: organisationId, features, created_at: occurredAt } = organisation;
  try {
    await store.createOrganisation(organisation);
  } catch (error) {
    const found = (await store.listOrganisations()).find((known) => known.organisation_id === organisationId);
    if (!(error instanceof ConflictError) || !found) throw error;
    const [feature, enabled] = ['verification', features.includes('verification')] as const;
    if (found.features.includes(feature) !== enabled)
      await store.updateFeature({ organisationId, feature, enabled, occurredAt });
  }
}

async function createCase(
  organisationId: string,
  { label, files, awaited, isLocked = false }: DemoCase,
  config: DemoConfig,
  context: DemoContext,
): Promise<string> {
  const { store, baseUrl, now } = context;
  const [caseId, at] = [randomUUID(), now().toISOString()];
  const record = { label, metadata: { source: 'demo' }, locked_at: null, created_at: at, updated_at: at };
  await store.importCases(organisationId, [{ case_id: caseId, ...record, files: [] }]);
  const thumbnailBaseUrl = config.files.thumbnailBaseUrl ?? baseUrl;
  // The limit is for the files of users.
  const settings = { folder: config.files.folder, maxBytes: Infinity, thumbnailBaseUrl };
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-demo-'));
  try {
    // One of the files is damaged on purpose, which must not be logged.
    const parts = analysisParts(config, { store, now, logger: pino({ level: 'silent' }) });
    const added: Awaited<ReturnType<typeof addFiles>> = [];
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      await writeFile(path, content);
      added.push(...(await addFiles({ caseId, files: [{ label: name, path }] }, { store, settings, now })));
    }
    await Promise.all(added.map(({ file_id: fileId }) => analyseFile(fileId, organisationId, parts)));
  } finally {
    await rm(folder, { recursive: true });
  }
  if (awaited !== undefined) await expectFile({ caseId, label: awaited }, { store, thumbnailBaseUrl, now });
  if (isLocked) await store.lockCase(caseId, now().toISOString());
  return caseId;
}

/** Does not leave a file to a server, so that a case does not change between two requests of a tester. */
async function analyseFile(fileId: string, organisationId: string, parts: AnalysisParts): Promise<void> {
  for (;;) {
    const taken = await takeNext(parts, { after: '', busy: [], only: organisationId });
    if (taken) await analyse(taken, parts, new AbortController().signal);
    else if (hasEnded(await parts.store.readAnalysis(fileId))) return;
    // A server has taken it.
    else await sleep(50);
  }
}
