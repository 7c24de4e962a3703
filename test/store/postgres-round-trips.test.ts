/** How often the API waits for PostgreSQL: counted where the bytes pass, since each wait ends with a `ReadyForQuery`. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { generateSecret, hashSecret } from '../../src/domain/credential.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import type { Store } from '../../src/store/store.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { type ProxyRules, withProxy } from '../support/misbehaving-servers.ts';
import * as tenants from '../support/tenants.ts';
import { addCase, addOrganisation, buildCase } from '../support/tenants.ts';
import { at, settingFixture, unknown } from './conformance/fixtures.ts';

const readyForQuery = 'Z\0\0\0\u{5}';

describeDatabase('a request of the API, on PostgreSQL', (database) => {
  let api: Harness;
  let beside: Store;
  let close: () => void;
  let proxied: Promise<void>;
  let roundTrips: number;
  let organisationId: string;
  let key: { 'x-api-key': string };
  let token: { authorization: string };
  beforeEach(async () => {
    const url = await database.emptyUrl();
    beside = await database.openStore(url);
    organisationId = await addOrganisation(beside);
    key = { 'x-api-key': await tenants.addApiKey(beside, organisationId, 'owner') };
    token = { authorization: `Bearer ${await tenants.addAccessToken(beside, organisationId)}` };
    let tail = '';
    const rules: ProxyRules = {
      toClient: (bytes) => {
        const parts = (tail + bytes.toString('latin1')).split(readyForQuery);
        roundTrips += parts.length - 1;
        tail = String(parts.at(-1)).slice(-readyForQuery.length);
        return bytes;
      },
    };
    api = await new Promise<Harness>((resolve, reject) => {
      proxied = withProxy(url, rules, async (through) => {
        const openStore = () => openPostgresStore({ url: through, poolSize: 4 }, 'uk');
        resolve(await startHarness({ openStore }));
        await new Promise<void>((closed) => (close = closed));
      });
      proxied.catch(reject);
    });
    // A connection is opened, and each statement prepared.
    await api.call('GET', settingPath, { headers: key });
    roundTrips = 0;
  });
  afterEach(async () => {
    await api.close();
    close();
    await proxied;
  });

  test.each([
    [200, 'an owner', () => key['x-api-key']],
    [403, 'a caller without the right', () => tenants.addApiKey(beside, organisationId, 'viewer')],
    [401, 'a caller whom nobody knows', () => generateSecret('api-key', 'uk')],
  ])('to read the setting waits once, and gives %d to %s', async (expected, _, keyOf) => {
    const headers = { 'x-api-key': await keyOf() };
    roundTrips = 0;
    const { status } = await api.call('GET', settingPath, { headers });
    expect({ status, roundTrips }).toEqual({ status: expected, roundTrips: 1 });
  });

  test('to read a case of many files waits once if the case is still as it was read before, and twice if not', async () => {
    const caseId = await addCase(beside, organisationId, buildCase(Array<string>(60).fill('analysing')));
    const path = `/cases/${caseId.toUpperCase()}`;
    const read = async () => {
      roundTrips = 0;
      const { body } = await api.call('GET', path, { headers: token });
      return { roundTrips, locked: (body as { is_locked: boolean }).is_locked };
    };
    expect(await read()).toEqual({ roundTrips: 2, locked: false });
    expect(await read()).toEqual({ roundTrips: 1, locked: false });
    await beside.lockCase(caseId, at);
    expect(await read()).toEqual({ roundTrips: 2, locked: true });
    expect(await read()).toEqual({ roundTrips: 1, locked: true });
  });

  test('for a case that the organisation does not have waits once, whosever it is', async () => {
    const foreign = await addCase(beside, await addOrganisation(beside), buildCase(['analysing']));
    for (const id of [foreign, unknown, 'nul%00']) {
      roundTrips = 0;
      expect((await api.call('GET', `/cases/${id}`, { headers: token })).status).toBe(404);
      expect(roundTrips).toBeLessThanOrEqual(1);
    }
  });

  test('to update the setting waits once for its caller, and once for the update with all of its effects', async () => {
    for (const enabled of [true, true, false]) {
      roundTrips = 0;
      const { status, body } = await api.call('PUT', settingPath, { headers: key, body: { enabled } });
      expect({ status, body, roundTrips }).toEqual({ status: 200, body: { enabled }, roundTrips: 2 });
    }
    expect(await beside.listAuditEntries({ limit: 10 })).toHaveLength(3);
  });

  describe('of many at the same moment', () => {
    const tenantsAtOnce: { id: string; key: string; caseId: string; token: string; enabled: boolean }[] = [];
    beforeEach(async () => {
      tenantsAtOnce.length = 0;
      for (let index = 0; index < 6; index += 1) {
        const { organisationId: id, update } = await settingFixture(beside, 0);
        const [secret, enabled] = [await tenants.addApiKey(beside, id, 'owner'), index % 2 === 0];
        await update(enabled);
        const caseId = await addCase(beside, id, buildCase(['analysing'], { label: id }));
        tenantsAtOnce.push({ id, key: secret, caseId, token: await tenants.addAccessToken(beside, id), enabled });
      }
      roundTrips = 0;
    });

    test('shares the wait for its credential, and gets what is its own', async () => {
      const asked = [...tenantsAtOnce, ...tenantsAtOnce];
      const found = await Promise.all(
        asked.map(({ key: secret, caseId }) => api.store.findCredential(hashSecret(secret), caseId)),
      );
      expect(roundTrips).toBe(1);
      for (const [index, { id, enabled, caseId }] of asked.entries())
        expect(found[index]).toMatchObject({
          organisation_id: id,
          prefetched: { organisationId: id, verificationEnabled: enabled, case: { id: caseId } },
        });
      const unknowns = asked.map(() => api.store.findCredential(hashSecret(generateSecret('api-key', 'uk'))));
      expect(await Promise.all(unknowns)).toEqual(asked.map(() => undefined));
    });

    test('is given nothing that was read along with the credential of another one', async () => {
      const [own, other] = tenantsAtOnce as [(typeof tenantsAtOnce)[0], (typeof tenantsAtOnce)[0]];
      const found = await api.store.findCredential(hashSecret(own.token), own.caseId);
      expect(await api.store.readVerificationSetting(own.id, found?.prefetched)).toBe(own.enabled);
      expect(await api.store.readVerificationSetting(other.id, found?.prefetched)).toBe(other.enabled);
      expect(await api.store.findCaseText(own.id, own.caseId, found?.prefetched)).toBeDefined();
      expect(await api.store.findCaseText(own.id, other.caseId, found?.prefetched)).toBeUndefined();
      expect(await api.store.findCaseText(other.id, own.caseId, found?.prefetched)).toBeUndefined();
    });
  });
});
