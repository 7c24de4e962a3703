import { createHash, randomUUID } from 'node:crypto';
import { createDemo } from '../src/demo/create-demo.ts';
import { demoIds } from '../src/demo/demo-data.ts';
import { isSettingUpdate } from '../src/domain/audit.ts';
import { type CaseToImport, describeCase } from '../src/domain/case.ts';
import { hashSecret, issueCredential } from '../src/domain/credential.ts';
import { declaredFeatures, declaredPermissions } from '../src/domain/organisation.ts';
import type { Region } from '../src/domain/region.ts';
import { expectFile } from '../src/files/add-files.ts';
import type { Config } from '../src/runtime/config.ts';
import type { Store } from '../src/store/store.ts';
import type { CachedFor, Credentials, Operator } from '../contract/run/model.ts';
import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';

/** A server checks every 100 ms whether its database file still exists. */
const noticedMilliseconds = 110;

/** Operates the project's own server with demo data, directly through its store. */
export function storeOperator(store: Store, databasePath: string): Operator {
  const now = () => new Date().toISOString();
  const organisationOf = (whose: CachedFor) => (whose === 'another' ? demoIds.otherOrganisation : demoIds.organisation);
  const countCachedResults = (whose: CachedFor) => store.countCachedAnalysisResults(organisationOf(whose));
  const find = async (secret: string) => {
    const found = await store.findCredential(hashSecret(secret));
    if (!found) throw new Error('The store does not know this secret.');
    return found;
  };
  const saved = { 'of owner_key': 0, another: 0 };
  return {
    listAuditEntries: async (limit = 1_000_000) => (await store.listAuditEntries({ limit })).filter(isSettingUpdate),
    countCachedResults,
    saveCachedResults: async (whose) => {
      // Both organisations have results of the same contents.
      const content = createHash('sha256').update(String((saved[whose] += 1)));
      const result = { organisation_id: organisationOf(whose), content_sha256: content.digest(), result: {} };
      await store.saveCachedAnalysisResult({ ...result, created_at: now() });
      return countCachedResults(whose);
    },
    identify: async (secret) => {
      const { organisation_id, credential_id } = await find(secret);
      return { organisation_id, credential_id };
    },
    readCase: async (caseId) => {
      const found = await store.findCase(await store.findOwnerOfCase(caseId), caseId);
      if (!found) throw new Error('The store does not have this case.');
      return describeCase(found);
    },
    createCase: async () => {
      const caseId = randomUUID();
      const at = now();
      const stored = { case_id: caseId, label: 'Created by the operator', metadata: {}, files: [] };
      const times = { created_at: at, updated_at: at, locked_at: null };
      await store.importCases(demoIds.organisation, [{ ...stored, ...times }]);
      const awaited = { caseId, label: 'expected.pdf' };
      const context = { store, thumbnailBaseUrl: 'http://127.0.0.1', now: () => new Date(at) };
      return { case_id: caseId, file_id: (await expectFile(awaited, context)).file_id };
    },
    importCase: (given) => store.importCases(demoIds.organisation, [given as CaseToImport]),
    lockCase: (caseId) => store.lockCase(caseId, now()),
    revokeCredential: async (secret) => store.revokeCredential((await find(secret)).credential_id, now()),
    setFeature: async (secret, feature, enabled) => {
      const { organisation_id: organisationId } = await find(secret);
      await store.updateFeature({ organisationId, feature, enabled, occurredAt: now() });
    },
    setPermission: async (secret, permission, granted) => {
      const { credential_id: id } = await find(secret);
      await store.setPermission(String((await store.readCredential(id)).role), permission, granted);
    },
    // Hides a table that every operation needs from a running server.
    breakStore: () => {
      const database = new Sqlite(databasePath);
      database.exec('ALTER TABLE credential RENAME TO credential_taken_away');
      return Promise.resolve(() => {
        database.exec('ALTER TABLE credential_taken_away RENAME TO credential');
        database.close();
        return Promise.resolve();
      });
    },
    disconnectStore: async () => {
      const aside = `${databasePath}.aside`;
      await rename(databasePath, aside);
      await setTimeout(noticedMilliseconds);
      return () => rename(aside, databasePath);
    },
  };
}

/** Enough further credentials of each kind that no check has to wait for a limit. */
const spares = 25;

/** Adds demo data, with further credentials, and all declared rights, of which roles and organisations have the first ones. */
export async function addDemoData(config: Config, store: Store): Promise<Credentials> {
  const demo = await createDemo(config, { store, baseUrl: 'http://127.0.0.1', now: () => new Date() });
  for (const permission of declaredPermissions) await store.setPermission('owner', permission, true);
  for (const organisationId of [demoIds.organisation, demoIds.otherOrganisation])
    for (const feature of declaredFeatures)
      await store.updateFeature({ organisationId, feature, enabled: true, occurredAt: new Date().toISOString() });
  const { organisation, otherOrganisation } = demoIds;
  const expired = new Date(Date.now() - 60_000).toISOString();
  const [revokedToken, revocableKey, revocableToken, expiredKey, expiredToken, otherOwnerKey] = await Promise.all([
    issue(store, config.region, organisation, null),
    issue(store, config.region, organisation, 'owner'),
    issue(store, config.region, organisation, null),
    issue(store, config.region, organisation, 'owner', expired),
    issue(store, config.region, organisation, null, expired),
    issue(store, config.region, otherOrganisation, 'owner'),
  ]);
  await store.revokeCredential(revokedToken.credential_id, new Date().toISOString());
  return {
    ...demo,
    revoked_token: revokedToken.secret,
    revocable_key: revocableKey.secret,
    revocable_token: revocableToken.secret,
    expired_key: expiredKey.secret,
    expired_token: expiredToken.secret,
    other_owner_key: otherOwnerKey.secret,
    spares: await issueSpares(store, config.region),
  };
}

/** Issues an access token, or the API key of a role. */
function issue(
  store: Store,
  region: Region,
  organisation: string,
  role: string | null,
  expiresAt: string | null = null,
) {
  const kind = role === null ? 'access-token' : 'api-key';
  const times = { created_at: '2025-12-01T00:00:00.000Z', expires_at: expiresAt };
  return issueCredential(store, region, { organisation_id: organisation, kind, role, ...times });
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
  const issued = Object.entries(owners).map(async ([name, [owner, role]]) => {
    const all = Array.from({ length: spares }, () => issue(store, region, owner, role));
    return [name, (await Promise.all(all)).map(({ secret }) => secret)] as const;
  });
  return Object.fromEntries(await Promise.all(issued));
}
