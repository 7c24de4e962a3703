import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, expect, test } from '@jest/globals';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let api: Harness;
beforeAll(async () => {
  api = await startHarness({ rateLimits: { requests: 1_000_000 } });
});

test('a new spelling of the media type on each request takes up no memory', async () => {
  const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
  const update = async (from: number, to: number) => {
    for (let index = from; index < to; index += 1)
      await api.call('PUT', settingPath, {
        headers: { 'x-api-key': key, 'content-type': `application/json; p=${index}` },
        body: '{}',
      });
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await update(0, 100);
  const retainedBytesPerRequest = ((await update(100, 400)) - before) / 300;
  expect(retainedBytesPerRequest).toBeLessThan(5_000);
});
