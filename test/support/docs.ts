import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildDocs } from '../../scripts/docs/build.ts';

/** Builds the documentation of the sources as they stand into a folder of its own. */
export async function buildDocsInFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-docs-'));
  await buildDocs(folder);
  return { folder, remove: () => rm(folder, { recursive: true }) };
}
