import { createHash } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ContentStore } from '../../src/files/content-store.ts';
import { AnalysisSite } from '../support/analysis-site.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { addStoredFiles, storeContent } from '../support/region-files.ts';

const leftovers = 3000;
const longAgo = new Date('2026-01-01T00:00:00.000Z');
const contentOf = (name: string) => ({ name, sha256: createHash('sha256').update(name).digest() });

/** Kills a removal of leftovers in the middle, beside a server and additions of some of them. */
async function drill(site: AnalysisSite): Promise<void> {
  try {
    const folder = join(dirname(await site.write('again.txt', 'left 0')), 'document-analysis-uk-files');
    const kept = ['one', 'two', 'three'].map(contentOf);
    await addStoredFiles(
      site.store,
      folder,
      site.caseId,
      kept.map(({ name }) => name),
    );
    const old = [...kept, ...Array.from({ length: leftovers }, (_, index) => contentOf(`left ${index}`))];
    for (const { name, sha256 } of old) utimesSync(await storeContent(folder, sha256, name), longAgo, longAgo);
    const stored = () =>
      readdirSync(join(folder, 'content'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        .length;
    expect(stored()).toBe(leftovers + kept.length);

    await site.serve();
    const adding = site.addFiles(await site.write('again.txt', 'left 0'));
    const sweeping = site.start(['files', 'sweep', '--delete']);
    while (sweeping.child.exitCode === null && stored() > leftovers - 500) await sleep(1);
    sweeping.child.kill('SIGKILL');
    expect(await sweeping.ended).toBe('SIGKILL');
    expect(stored()).toBeGreaterThan(kept.length + 1);
    const [fileId = ''] = await adding;

    const told = JSON.parse(await site.run(['files', 'sweep', '--delete', '--json'])) as { content: { files: number } };
    expect(told.content.files).toBeGreaterThan(0);
    expect(stored()).toBe(kept.length + 1);
    const contents = new ContentStore(folder);
    for (const { sha256 } of [...kept, contentOf('left 0')]) expect(await contents.verified(sha256)).toBeDefined();
    await site.until(fileId, 'analysis_complete');
  } finally {
    await site.close();
  }
}

test('what files have stays when a removal of leftovers is killed, and the next one removes the rest, on SQLite', async () => {
  await drill(await AnalysisSite.open());
}, 120_000);

describeDatabase('on PostgreSQL', (database) => {
  test('what files have stays when a removal of leftovers is killed, and the next one removes the rest', async () => {
    await drill(await AnalysisSite.open(await database.freshUrl()));
  }, 120_000);
});
