import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DocsFile, writeDocs } from '../../scripts/docs/write.ts';

/** Writes documentation of these files into a folder of its own, and gives that from which the server serves it. */
export async function writeDocsInFolder(
  files: readonly DocsFile[],
): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-docs-'));
  await writeDocs(folder, files);
  return { folder: join(folder, 'served-docs'), remove: () => rm(folder, { recursive: true }) };
}
