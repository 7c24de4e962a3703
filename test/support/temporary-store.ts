import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** An empty SQLite store in a folder of its own, which is removed after the tests of the file. */
export function openTemporaryStore(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'document-analysis-'));
  folders.push(folder);
  return openSqliteStore(join(folder, 'store.sqlite'));
}
