import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import supertest from 'supertest';
import { boundAccess, fileAccess, FilesUnavailableError } from '../../src/files/file-access.ts';
import { newThumbnailName } from '../../src/files/thumbnail-name.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { writeTemporaryJson } from '../../src/store/case-texts/json-text.ts';
import { collect } from '../support/store-engines.ts';
import { settingPath, startHarness } from '../support/harness.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const folder = await makeTemporaryFolder();
const api = await startHarness({ thumbnailFolder: folder });

const clock = performance.now.bind(performance);
let ahead = 0;

test('while the file system hangs, what needs it gets 503 in seconds and then at once, and all else goes on', async () => {
  api.log.splice(0);
  // The log was perhaps told of the files by an earlier run of this test.
  ahead += 600_000;
  jest.spyOn(performance, 'now').mockImplementation(() => clock() + ahead);
  const name = newThumbnailName();
  await writeFile(join(folder, name), 'thumbnail');
  const write = () => writeTemporaryJson(folder, (append) => append('1').then(() => ({ before: '[', after: ']' })));
  const written = await write();

  let recover = (): void => undefined;
  const hanging = new Promise<void>((resolve) => (recover = resolve));
  const late: boolean[] = [];
  const call = (given: { up: boolean }) => hanging.then(() => late.push(given.up));
  const calls = Array.from({ length: 2 }, () => fileAccess.run(call).catch(() => undefined));

  const get = () => supertest(api.server).get(`/thumbnails/${name}`);
  const [thumbnail, setting, sent, rewritten] = await Promise.allSettled([
    get(),
    api.call('GET', settingPath),
    written.lend()?.sendTo(collect().destination),
    write(),
  ]);
  expect(thumbnail).toMatchObject({ value: { status: 503, body: { error_code: 'service.unavailable' } } });
  expect(thumbnail).toMatchObject({ value: { headers: { 'retry-after': '5' } } });
  expect(setting).toMatchObject({ value: { status: 401 } });
  for (const each of [sent, rewritten])
    expect(each).toMatchObject({ reason: expect.any(StoreUnavailableError) as unknown });
  const lines = () => api.log.map(String).filter((line) => line.includes('the files are unavailable'));
  expect(lines()).toHaveLength(1);
  const begun = performance.now();
  expect((await get()).status).toBe(503);
  expect(performance.now() - begun).toBeLessThan(1000);
  expect(lines()).toHaveLength(1);
  ahead += 60_000;
  for (let time = 0; time < 2; time += 1) expect((await get()).status).toBe(503);
  expect(lines()).toHaveLength(2);

  recover();
  await Promise.all(calls);
  expect(late).toEqual([true, true]);
  expect((await get()).status).toBe(200);
  const { destination, taken } = collect();
  await written.lend()?.sendTo(destination);
  expect(taken()).toBe('[1]');
  written.release();
});

test('a call that must be made waits for a place however long, and its failure is nobody’s', async () => {
  const access = boundAccess(1, 100);
  const { promise: hanging, resolve: end } = Promise.withResolvers<undefined>();
  await expect(access.run(() => hanging)).rejects.toThrow(FilesUnavailableError);
  const close = jest.fn<() => Promise<void>>().mockRejectedValueOnce(new Error('failed')).mockResolvedValue();
  for (let time = 0; time < 2; time += 1) access.runEventually(close);
  await sleep(200);
  expect(close).not.toHaveBeenCalled();
  end(undefined);
  await sleep(1);
  expect(close).toHaveBeenCalledTimes(2);
});
