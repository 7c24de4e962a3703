import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Page, writeDocs } from '../../scripts/docs/write.ts';

/** Writes documentation with this page into a folder of its own. */
export async function writeDocsInFolder(page: Page): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-docs-'));
  await writeDocs(folder, page);
  return { folder, remove: () => rm(folder, { recursive: true }) };
}
