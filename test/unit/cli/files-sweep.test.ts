import { createHash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { CliHarness } from '../../support/cli.ts';
import { addStoredFiles, readTree, storeContent } from '../../support/region-files.ts';
import { addCase } from '../../support/tenants.ts';

let cli: CliHarness;
let folder: string;
beforeEach(async () => {
  cli = await CliHarness.start();
  folder = join(cli.folder, 'data', 'document-analysis-uk-files');
  const organisation = await cli.addOrganisation();
  await cli.withStore(async (store) => addStoredFiles(store, folder, await addCase(store, organisation), ['kept']));
  const path = await storeContent(folder, createHash('sha256').update('left').digest(), 'left');
  const longAgo = new Date('2026-01-01T00:00:00.000Z');
  await utimes(path, longAgo, longAgo);
});
afterEach(() => cli.stop());

const now = new Date();
const sweep = (...options: string[]) => cli.run(['files', 'sweep', ...options], { now });

test('files sweep tells what is left over, and removes it only with --delete', async () => {
  const before = await readTree(folder);
  expect(await sweep()).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /^LEFTOVERS +FILES +BYTES\ncontent +1 +4\nthumbnails +0 +0\nincoming +0 +0\n\nNothing removed\. Add --delete to remove them\.\n$/,
    ) as unknown,
  });
  expect(await readTree(folder)).toEqual(before);
  expect(await cli.json(['files', 'sweep', '--delete'], { now })).toEqual({
    folder,
    database: cli.databasePath,
    deleted: true,
    content: { files: 1, bytes: 4 },
    thumbnails: { files: 0, bytes: 0 },
    incoming: { files: 0, bytes: 0 },
    too_recent: 0,
  });
  expect((await readTree(folder)).size).toBe(before.size - 1);
  expect((await sweep()).stdout).toMatch(/\nNo leftovers\.\n$/);
});

test('files sweep shows its progress, and says what is too recent', async () => {
  await storeContent(folder, createHash('sha256').update('new').digest(), 'new');
  const { stdout, stderr } = await cli.run(['files', 'sweep', '--delete'], { now, terminal: true });
  expect(stderr).toMatch(/Looking \[.*\] 257\/257 folders[^]*Removing \[.*\] 1\/1 leftovers/);
  expect(stdout).toMatch(/Removed\.\nKept 1 leftover that may still be in use: too recent to remove\.\n$/);
});
