import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import type { Store } from '../../../src/store/store.ts';
import { settingPath, startHarness } from '../../support/harness.ts';
import { overrideStore } from '../../support/override-store.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

const limit = 5;

let open: () => void = () => undefined;
const gate = new Promise<void>((resolve) => (open = resolve));
let waiting = 0;
const gated = (store: Store): Store =>
  overrideStore(store, {
    readVerificationSetting: async (id) => {
      waiting += 1;
      await gate;
      return store.readVerificationSetting(id);
    },
  });

const api = await startHarness({ maxConcurrentRequests: limit, wrapStore: gated });
const headers = { 'x-api-key': await addApiKey(api.store, await addOrganisation(api.store), 'owner') };
afterAll(() => api.close());

test('under four times the load that it bears, a server serves what it can, refuses the rest at once, and recovers', async () => {
  const get = () => api.call('GET', settingPath, { headers });
  const served = Array.from({ length: limit }, get);
  while (waiting < limit) await sleep(5);

  const refused = await Promise.all(Array.from({ length: 3 * limit }, get));
  for (const response of refused) {
    expect([response.status, response.body]).toMatchObject([503, { error_code: 'service.unavailable' }]);
    expect(response.headers).toMatchObject({ 'retry-after': '5' });
    // It was refused before it was counted, or its caller looked up.
    expect(response.headers).not.toHaveProperty('ratelimit');
  }
  expect((await api.call('PUT', settingPath)).status).toBe(503);
  expect((await api.call('GET', '/unknown')).status).toBe(503);
  expect(waiting).toBe(limit);

  open();
  for (const response of await Promise.all(served)) expect(response.status).toBe(200);
  for (let round = 0; round < 2 * limit; round += 1) expect((await get()).status).toBe(200);
  expect(api.log.filter((line) => line.includes('"overloaded":true'))).toHaveLength(3 * limit + 2);
});
