import { rmSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { pino } from 'pino';
import type { MutableTarget } from '../contract/mutants/mutant.ts';
import type { Credentials } from '../contract/run/model.ts';
import { createDemo } from '../src/demo/create-demo.ts';
import { demoIds } from '../src/demo/demo-data.ts';
import { declaredFeatures, declaredPermissions } from '../src/domain/organisation.ts';
import { issueCredential } from '../src/domain/credential.ts';
import type { Region } from '../src/domain/region.ts';
import { type Config, readConfig } from '../src/runtime/config.ts';
import { startService } from '../src/runtime/service.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import { ownServerSettings } from './own-server-settings.ts';
import { storeOperator } from './store-operator.ts';

/** Enough further credentials of each kind that no check has to wait for a limit. */
const spares = 20;

/**
 * Starts the project's own server in this process, on a free port, with demo data in a folder of its own.
 * @param settings of the server, in addition to those of every run
 */
export async function startOwnTarget(settings: Record<string, string> = {}): Promise<MutableTarget> {
  const folder = await makeFolder();
  return startIn(folder, settings, await makeDemoData(folder, settings));
}

/** Starts such servers one after another, with the same demo data, which is made once: its analysis takes seconds. */
export function ownTargets(): () => Promise<MutableTarget> {
  let template: Promise<{ made: string; credentials: Credentials }> | undefined;
  return async () => {
    template ??= makeFolder().then(async (made) => {
      process.once('exit', () => {
        rmSync(made, { recursive: true, force: true });
      });
      return { made, credentials: await makeDemoData(made, {}) };
    });
    const { made, credentials } = await template;
    const folder = await makeFolder();
    await cp(made, folder, { recursive: true });
    return startIn(folder, {}, credentials);
  };
}

const makeFolder = () => mkdtemp(join(tmpdir(), 'document-analysis-contract-'));

const now = () => new Date();

function configOf(folder: string, settings: Record<string, string>) {
  return readConfig({ ...ownServerSettings(folder), ...settings, PORT: '0' });
}

async function makeDemoData(folder: string, settings: Record<string, string>): Promise<Credentials> {
  const config = configOf(folder, settings);
  const store = openSqliteStore(config.databasePath);
  const credentials = await addDemoData(config, store);
  await store.close();
  return credentials;
}

/** Adds demo data, with further credentials, and all declared rights, of which roles and organisations have the first ones. */
export async function addDemoData(config: Config, store: Store): Promise<Credentials> {
  const demo = await createDemo(config, { store, baseUrl: 'http://127.0.0.1', now });
  for (const permission of declaredPermissions) await store.setPermission('owner', permission, true);
  for (const organisationId of [demoIds.organisation, demoIds.otherOrganisation])
    for (const feature of declaredFeatures)
      await store.updateFeature({ organisationId, feature, enabled: true, occurredAt: now().toISOString() });
  return { ...demo, spares: await issueSpares(store, config.region) };
}

async function startIn(
  folder: string,
  settings: Record<string, string>,
  credentials: Credentials,
): Promise<MutableTarget> {
  const config = configOf(folder, settings);
  const store = openSqliteStore(config.databasePath);
  const service = await startService(config, { store, logger: pino({ level: 'silent' }), now });
  const baseUrl = `http://127.0.0.1:${service.port}`;
  return {
    openDatabase: () => new Sqlite(config.databasePath) as unknown as ReturnType<MutableTarget['openDatabase']>,
    credentials: { ...credentials, base_url: baseUrl, case_base_url: baseUrl },
    mayExhaustLimits: true,
    respondsWithExamples: true,
    requestQuota: config.rateLimits.requests,
    operator: storeOperator(store, config.databasePath),
    close: async () => {
      await service.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Issues further credentials with the rights of the demo's. */
async function issueSpares(store: Store, region: Region): Promise<Record<string, string[]>> {
  const { organisation, featureOffOrganisation, otherOrganisation } = demoIds;
  const owners: Readonly<Record<string, readonly [organisation: string, role: string | null]>> = {
    owner_key: [organisation, 'owner'],
    member_key: [organisation, 'member'],
    viewer_key: [organisation, 'viewer'],
    feature_off_key: [featureOffOrganisation, 'owner'],
    access_token: [organisation, null],
    other_access_token: [otherOrganisation, null],
  };
  const issue = async ([owner, role]: (typeof owners)[string]) => {
    const kind = role === null ? 'access-token' : 'api-key';
    const created = { created_at: new Date().toISOString(), expires_at: null };
    return (await issueCredential(store, region, { organisation_id: owner, kind, role, ...created })).secret;
  };
  const issued = Object.entries(owners).map(
    async ([name, owner]) => [name, await Promise.all(Array.from({ length: spares }, () => issue(owner)))] as const,
  );
  return Object.fromEntries(await Promise.all(issued));
}
