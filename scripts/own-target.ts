import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { pino } from 'pino';
import { readConfig } from '../src/runtime/config.ts';
import { createDemo } from '../src/demo/create-demo.ts';
import { demoIds } from '../src/demo/demo-data.ts';
import { isSettingUpdate } from '../src/domain/audit.ts';
import { describeCase } from '../src/domain/case.ts';
import { declaredFeatures, declaredPermissions } from '../src/domain/declared-rights.ts';
import { hashSecret } from '../src/domain/secret.ts';
import { startService } from '../src/runtime/service.ts';
import { openSqliteStore } from '../src/store/sqlite/open.ts';
import type { Store } from '../src/store/store.ts';
import type { MutableTarget } from '../contract/mutants/mutant.ts';
import { breakStore } from './break-store.ts';

/** Small enough to be used up in a moment, in a window that is short enough to be waited out. */
export const requestQuota = 250;
const windowSeconds = 2;

/** Starts the project's own server on a free port, with demo data in a folder of its own. */
export async function startOwnTarget(): Promise<MutableTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-contract-'));
  const config = readConfig({
    DATA_DIR: folder,
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_REQUESTS: String(requestQuota),
    RATE_LIMIT_FAILED_AUTHENTICATIONS: String(requestQuota),
    RATE_LIMIT_PUBLIC_REQUESTS: String(requestQuota),
    RATE_LIMIT_WINDOW_SECONDS: String(windowSeconds),
  });
  const store = openSqliteStore(config.databasePath);
  const now = () => new Date();
  const service = await startService(config, { store, logger: pino({ level: 'silent' }), now });
  const baseUrl = `http://127.0.0.1:${service.port}`;
  const credentials = await createDemo(store, { baseUrl, region: config.region, now });
  await grantDeclaredRights(store);
  return {
    openDatabase: () => new Sqlite(config.databasePath) as unknown as ReturnType<MutableTarget['openDatabase']>,
    credentials: { ...credentials },
    mayExhaustLimits: true,
    requestQuota,
    operator: {
      listAuditEntries: async () => (await store.listAuditEntries({ limit: 1_000_000 })).filter(isSettingUpdate),
      saveCachedResults: async (whose = 'of owner_key') => {
        const organisation = whose === 'another' ? demoIds.otherOrganisation : demoIds.organisation;
        await store.saveCachedAnalysisResult({
          organisation_id: organisation,
          content_sha256: randomBytes(32),
          result: {},
          created_at: now().toISOString(),
        });
        return store.countCachedAnalysisResults(organisation);
      },
      identify: async (secret) => {
        const found = await store.findCredential(hashSecret(secret));
        if (!found) throw new Error('The store does not know this secret.');
        return { organisation_id: found.organisation_id, credential_id: found.credential_id };
      },
      readCase: async (caseId) => {
        const found = await store.findCase(await store.findOwnerOfCase(caseId), caseId);
        if (!found) throw new Error('The store does not have this case.');
        return describeCase(found);
      },
      breakStore: () => breakStore(config.databasePath),
    },
    close: async () => {
      await service.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Lets the owner call what the document has added: roles and organisations start with rights of the first operations. */
async function grantDeclaredRights(store: Store): Promise<void> {
  for (const permission of declaredPermissions) await store.setPermission('owner', permission, true);
  for (const organisation of [demoIds.organisation, demoIds.otherOrganisation])
    for (const feature of declaredFeatures) await store.setFeature(organisation, feature, true);
}
