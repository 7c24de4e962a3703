import { createHash } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ContentStore } from '../../src/files/content-store.ts';
import { AnalysisSite } from '../support/analysis-site.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { addStoredFiles, storeContent } from '../support/region-files.ts';
import { until } from '../support/until.ts';

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
    const left = Array.from({ length: leftovers }, (_, index) => contentOf(`left ${index}`));
    const storeAgain = async (contents: typeof left) => {
      for (const { name, sha256 } of contents) utimesSync(await storeContent(folder, sha256, name), longAgo, longAgo);
    };
    await storeAgain([...kept, ...left]);
    const stored = () =>
      readdirSync(join(folder, 'content'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        .length;
    expect(stored()).toBe(leftovers + kept.length);

    await site.serve();
    const adding = site.addFiles(await site.write('again.txt', 'left 0'));
    // On a loaded machine it may have ended before it is killed.
    await until('a removal is killed in the middle', async () => {
      await storeAgain(left.slice(1));
      const before = stored();
      const sweeping = site.start(['files', 'sweep', '--delete']);
      await until('something is removed', () => sweeping.child.exitCode !== null || stored() < before, 1);
      sweeping.child.kill('SIGKILL');
      return (await sweeping.ended) === 'SIGKILL' && stored() > kept.length + 1;
    });
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
});

describeDatabase('on PostgreSQL', (database) => {
  test('what files have stays when a removal of leftovers is killed, and the next one removes the rest', async () => {
    await drill(await AnalysisSite.open(await database.freshUrl()));
  });
});
