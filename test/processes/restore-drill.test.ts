import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ContentStore } from '../../src/files/content-store.ts';
import { thumbnailNameOf } from '../../src/files/thumbnail-name.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { type AnalysisSite, openAnalysisSite } from '../support/analysis-site.ts';
import { outputOf, type ProgramProcess, startServer } from '../support/process.ts';
import { addStoredFiles, readTree } from '../support/region-files.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

let site: AnalysisSite;
let folder: string;
let restored: string;
beforeEach(async () => {
  site = await openAnalysisSite();
  folder = await makeTemporaryFolder();
  restored = join(folder, 'restored');
});
afterEach(() => site.close());

const filesIn = (dataDir: string) => join(dataDir, 'document-analysis-uk-files');
const databaseIn = (dataDir: string) => join(dataDir, 'document-analysis-uk.sqlite');
const restore = (backup: string) => site.run(['restore', backup], { DATA_DIR: restored });

/** Does something again and again until it is stopped. */
function again(work: () => Promise<unknown>): () => Promise<void> {
  let stopped = false;
  const run = async () => {
    while (!stopped) await work();
  };
  const running = run();
  return () => {
    stopped = true;
    return running;
  };
}

async function digestsOf(dataDir: string): Promise<unknown> {
  const to = join(folder, `copy-${Math.random()}.sqlite`);
  const copying = `store copy --from sqlite:${databaseIn(dataDir)} --to sqlite:${to} --json`;
  const told = await site.run(copying.split(' '));
  return (JSON.parse(told) as { tables: unknown }).tables;
}

test('a region that is updated, added to and analysed meanwhile is restored as of one moment, with each file that it names', async () => {
  const server = await site.serve([], { RATE_LIMIT_REQUESTS: '1000000' });
  const { folder: dataDir } = site;
  let enabled = false;
  let updates = 0;
  const added: string[] = [];
  const traffic = [
    again(async () => {
      await site.setVerification((enabled = !enabled));
      updates += 1;
    }),
    again(async () => {
      const path = await site.write('more.txt', `Company number 0123${added.length}`);
      added.push(...(await site.addFiles(path)));
    }),
    again(async () => {
      const content = `VAT number GB 123 4567 82 of ${added.length} and ${Math.random()}`;
      const [file] = await addStoredFiles(site.store, filesIn(dataDir), site.caseId, [content]);
      added.push(file?.file_id ?? '');
      await sleep(5);
    }),
  ];
  await until('there is traffic', () => updates >= 20 && added.length >= 100);
  const before = { updates, added: [...added] };
  const backup = join(folder, 'under-traffic');
  await outputOf(site.start(['backup', backup]));
  const between = { updates, added: added.length };
  expect([between.updates > before.updates, between.added > before.added.length]).toEqual([true, true]);
  for (const stop of traffic) await stop();
  server.child.kill('SIGKILL');
  await server.ended;

  await restore(backup);
  const store = openSqliteStore(databaseIn(restored));
  const [was, is] = [await site.store.listAuditEntries({ limit: 1e6 }), await store.listAuditEntries({ limit: 1e6 })];
  // Nothing is missing in the middle: it is a state that the region was in.
  expect(is).toEqual(was.slice(was.length - is.length));
  const updated = is.filter(({ action }) => action.includes('setting')).length;
  expect(updated).toBeGreaterThanOrEqual(before.updates);
  expect(updated).toBeLessThanOrEqual(between.updates + 1);
  for (const fileId of before.added) await expect(store.readAnalysis(fileId)).resolves.toBeDefined();
  const found = await store.findCase(site.organisationId, site.caseId);
  const contents = new ContentStore(filesIn(restored));
  const thumbnails = await readTree(join(filesIn(restored), 'thumbnails'));
  for (const file of found?.files ?? []) {
    const { content_sha256: sha256 } = await store.readAnalysis(file.file_id);
    expect(await contents.verified(sha256 ?? Buffer.alloc(32))).toBeDefined();
    expect(thumbnails.has(thumbnailNameOf(file.thumbnail_url) ?? '')).toBe(true);
  }
  await store.close();

  const { url } = await startServer({ dataDir: restored });
  const thumbnail = await fetch(url + new URL(found?.files[0]?.thumbnail_url ?? '').pathname);
  expect(thumbnail.status).toBe(200);
});

/**
 * Stops a program when a folder has so many files. On a loaded machine it may have ended before, or have come too far: then all
 * that it has written is removed, and it is started again.
 */
async function stopAt(
  signal: 'SIGKILL' | 'SIGTERM',
  files: number,
  { start, place, wrote, last }: { start: () => ProgramProcess; place: string; wrote: string; last: string },
): Promise<ProgramProcess> {
  const count = async () => (await readdir(place, { recursive: true }).catch(() => [])).length;
  return until(`it is stopped at ${files} files in ${place}`, async () => {
    const program = start();
    await until('there are so many', async () => program.child.exitCode !== null || (await count()) >= files, 1);
    program.child.kill(signal);
    if ((await program.ended) !== 0 && !existsSync(last)) return program;
    await removeFolder(wrote);
    return undefined;
  });
}

const moments = [1, 3, 200, 500];

test('a backup and a restore that are killed at any moment leave nothing that counts, and can be done again', async () => {
  const { folder: dataDir } = site;
  const many = Array.from({ length: 400 }, (_, index) => `content ${index}`);
  await addStoredFiles(site.store, filesIn(dataDir), site.caseId, many);
  for (const files of moments) {
    const backup = join(folder, `killed-${files}`);
    const start = () => site.start(['backup', backup]);
    await stopAt('SIGKILL', files, { start, place: backup, wrote: backup, last: join(backup, 'manifest.json') });
    const refused = (reason: string) => ({ exitCode: 1, stderr: expect.stringContaining(reason) as unknown });
    expect(await site.call(['restore', backup], { DATA_DIR: restored })).toMatchObject(
      refused('the backup was interrupted'),
    );
    expect(await site.call(['backup', backup])).toMatchObject(refused('is not empty'));
  }
  const backup = join(folder, 'whole');
  await site.run(['backup', backup]);

  const restoringTo = (to: string) => ({
    start: () => site.start(['restore', backup], { DATA_DIR: to }),
    place: join(to, 'document-analysis-uk-restore'),
    wrote: to,
    last: filesIn(to),
  });
  for (const files of moments) {
    await stopAt('SIGKILL', files, restoringTo(restored));
    expect(await readdir(restored)).toEqual(['document-analysis-uk-restore']);
  }
  await restore(backup);
  expect((await readdir(restored)).sort()).toEqual(['document-analysis-uk-files', 'document-analysis-uk.sqlite']);
  expect(await readTree(filesIn(restored))).toEqual(await readTree(filesIn(dataDir)));
  expect(await digestsOf(restored)).toEqual(await digestsOf(dataDir));

  const stopped = await stopAt('SIGTERM', 2, restoringTo(join(folder, 'other')));
  expect([await stopped.ended, stopped.stderr()]).toEqual([1, 'error: Stopped. Nothing was restored.\n']);
  expect(await readdir(join(folder, 'other'))).toEqual([]);
});
