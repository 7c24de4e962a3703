import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { addFiles } from '../../src/files/add-files.ts';
import { ContentStore } from '../../src/files/content-store.ts';
import { findLeftovers, removeLeftovers } from '../../src/files/leftovers.ts';
import { ContentSweptError } from '../../src/store/errors.ts';
import { contentsLockKey } from '../../src/store/parts/dialect.ts';
import type { Store } from '../../src/store/store.ts';
import { newFile, sha256 } from './conformance/fixtures.ts';
import { addStoredFiles, readTree, storeContent } from '../support/region-files.ts';
import { describeEngines } from '../support/store-engines.ts';
import { addCase, addOrganisation, buildCase } from '../support/tenants.ts';

const [now, dayMilliseconds] = [() => new Date(), 24 * 60 * 60 * 1000];
const longAgo = new Date(Date.now() - 2 * dayMilliseconds);

/** Puts content into its place that was stored long ago. */
async function storeOld(folder: string, content: string): Promise<void> {
  await utimes(await storeContent(folder, sha256(content), content), longAgo, longAgo);
}

describeEngines('what no file has', (opened) => {
  let store: Store;
  let folder: string;
  beforeEach(() => {
    ({ store } = opened);
    folder = join(opened.folder, 'files');
  });
  test('is found and removed, and nothing else', async () => {
    const organisation = await addOrganisation(store);
    const caseId = await addCase(store, organisation);
    const added = await addStoredFiles(store, folder, caseId, ['one', 'two', 'two']);
    for (const content of ['one', 'two', 'left', 'over']) await storeOld(folder, content);
    const thumbnail = (name: string) => join(folder, 'thumbnails', name);
    const [unnamed, imported] = [`${'a'.repeat(40)}.webp`, `${'b'.repeat(40)}.webp`];
    const { files } = buildCase(['analysis_complete']);
    for (const file of files) file.thumbnail_url = `/thumbnails/${imported}`;
    await addCase(store, organisation, buildCase([], { files }));
    for (const name of [unnamed, imported, 'notes.txt', ...added.map((one) => one.name)]) {
      await writeFile(thumbnail(name), 'picture');
      await utimes(thumbnail(name), longAgo, longAgo);
    }
    await storeContent(folder, sha256('recent'), 'recent');
    await mkdir(join(folder, 'incoming/one'), { recursive: true });
    await writeFile(join(folder, 'incoming/one/copy'), '12345');
    await utimes(join(folder, 'incoming/one'), longAgo, longAgo);
    await mkdir(join(folder, 'incoming/two'));

    const before = await readTree(folder);
    const found = await findLeftovers(folder, store, { now });
    expect(await readTree(folder)).toEqual(before);
    expect(found.content.map(({ bytes }) => bytes)).toEqual([4, 4]);
    expect(found.thumbnails).toEqual([{ path: thumbnail(unnamed), bytes: 7 }]);
    expect(found.incoming).toEqual([{ path: join(folder, 'incoming/one'), bytes: 5 }]);
    expect(found.tooRecent).toBe(1);

    const told: number[] = [];
    const removed = await removeLeftovers(found, folder, store, { onRemoved: (done) => told.push(done) });
    expect([removed.content.length, told.at(-1)]).toEqual([2, 4]);
    const gone = [...before.keys()].filter((name) => !found.content.some(({ path }) => path.endsWith(name)));
    const kept = gone.filter((name) => !name.includes(unnamed) && !name.startsWith('incoming/one'));
    expect([...(await readTree(folder)).keys()].sort()).toEqual(kept.sort());
  });

  test('stays if it was stored again since it was found, or has got a file', async () => {
    const caseId = await addCase(store, await addOrganisation(store));
    await addStoredFiles(store, folder, caseId, ['one']);
    for (const content of ['named', 'stored again', 'left']) await storeOld(folder, content);
    const found = await findLeftovers(folder, store, { now });
    expect(found.content).toHaveLength(3);
    await addStoredFiles(store, folder, caseId, ['named']);
    await storeOld(folder, 'named');
    await storeContent(folder, sha256('stored again'), 'stored again');
    const { content } = await removeLeftovers(found, folder, store, {});
    expect(content.map((one) => Buffer.from(one.sha256).toString('hex'))).toEqual([sha256('left').toString('hex')]);
  });

  test('in incoming is not removed because the clock of this machine is ahead', async () => {
    const [old, recent] = [join(folder, 'incoming/old'), join(folder, 'incoming/recent')];
    for (const path of [old, recent]) await mkdir(path, { recursive: true });
    await utimes(old, longAgo, longAgo);
    const ahead = () => new Date(Date.now() + 2 * dayMilliseconds);
    const found = await findLeftovers(folder, store, { now: ahead });
    const { incoming } = await removeLeftovers(found, folder, store, {});
    expect(incoming.map(({ path }) => path)).toEqual([old]);
    expect(await readdir(join(folder, 'incoming'))).toEqual(['recent']);
  });

  test('is not removed for a database that knows no file as new, as that of another place', async () => {
    await storeOld(folder, 'of another database');
    expect(await findLeftovers(folder, store, { now })).toMatchObject({ content: [], tooRecent: 1 });
  });

  /** What a process does waits for what another one does: an addition for a removal, and a removal for an addition. */
  test.each([
    ['looked for by an addition before a removal', ''],
    ['removed before an addition', '_shared'],
  ])('is not %s in another process has come to its end', async (_, how) => {
    const lock = `BEGIN; SELECT pg_advisory_xact_lock${how}(${contentsLockKey})`;
    const caseId = await addCase(store, await addOrganisation(store));
    await opened.beside(opened.engine === 'SQLite' ? 'BEGIN IMMEDIATE' : lock);
    let calls = 0;
    const called = () => (calls += 1) > 0;
    const add = (isStored: () => boolean) =>
      store.addFiles({ caseId, files: [newFile()], at: now().toISOString(), isStored });
    const waiting = how === '' ? add(called) : store.removeUnnamed([sha256('left')], called);
    await sleep(500);
    expect(calls).toBe(0);
    await opened.beside('COMMIT');
    await waiting;
    expect(calls).toBe(1);
    await expect(add(() => false)).rejects.toThrow(ContentSweptError);
  });

  test('and is removed while it is added again, is stored again', async () => {
    const caseId = await addCase(store, await addOrganisation(store));
    await addStoredFiles(store, folder, caseId, ['one']);
    await storeOld(folder, 'again');
    const path = join(opened.folder, 'again.txt');
    await writeFile(path, 'again');
    const settings = { folder, maxBytes: 1000, thumbnailBaseUrl: 'https://api.example' };
    let additions = 0;
    const added = await addFiles(
      { caseId, files: [{ path, label: 'again' }] },
      {
        settings,
        now,
        store: {
          // `file add` has found the content in its place, and its transaction begins.
          addFiles: async (addition) => {
            additions += 1;
            if (additions === 1) await removeLeftovers(await findLeftovers(folder, store, { now }), folder, store, {});
            return store.addFiles(addition);
          },
        },
      },
    );
    expect([added.length, additions]).toEqual([1, 2]);
    expect(await new ContentStore(folder).verified(sha256('again'))).toBeDefined();
    await rm(path);
  });
});
