import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { addFiles } from '../../../src/files/add-files.ts';
import type { AnalysisStore } from '../../../src/store/analysis-store.ts';
import { ConflictError, StoreUnavailableError } from '../../../src/store/errors.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';
import { addOrganisation, buildCase } from '../../support/tenants.ts';

const now = () => new Date('2026-03-02T12:00:00.000Z');

let folder: TemporaryFolder;
let store: Store;
let organisation: string;
let caseId: string;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
  store = openSqliteStore(join(folder.path, 'store.sqlite'));
  organisation = await addOrganisation(store);
  const empty = buildCase([]);
  caseId = empty.case_id;
  await store.importCases(organisation, [empty]);
});
afterEach(async () => {
  await store.close();
  await folder.remove();
});

async function add(onFile: () => void, into: Pick<AnalysisStore, 'addFiles'> = store) {
  const path = await folder.write('a.txt', randomUUID());
  const settings = { folder: join(folder.path, 'files'), maxBytes: 1000, thumbnailBaseUrl: 'https://files.example' };
  return addFiles({ caseId, files: [{ path, label: 'a.txt' }] }, { store: into, settings, now, onFile });
}

const thumbnails = () => readdir(join(folder.path, 'files', 'thumbnails'));

test('a case that is locked meanwhile gets no file, and no thumbnail is left', async () => {
  const lock = () => void store.lockCase(caseId, now().toISOString());
  await expect(add(lock)).rejects.toThrow(ConflictError);
  expect((await store.findCase(organisation, caseId))?.files).toEqual([]);
  expect(await thumbnails()).toEqual([]);
});

test('if nobody can tell whether the files were added, their thumbnails stay', async () => {
  const lost = new StoreUnavailableError('The connection was lost.');
  lost.outcomeUnknown = true;
  const commitAndLose = {
    addFiles: async (addition: Parameters<AnalysisStore['addFiles']>[0]) => {
      await store.addFiles(addition);
      throw lost;
    },
  };
  await expect(add(() => undefined, commitAndLose)).rejects.toBe(lost);
  const [file] = (await store.findCase(organisation, caseId))?.files ?? [];
  expect(file?.thumbnail_url).toBe(`https://files.example/thumbnails/${(await thumbnails()).join()}`);
});
