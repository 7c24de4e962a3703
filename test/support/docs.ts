import { join } from 'node:path';
import { type DocsFile, writeDocs } from '../../scripts/docs/write.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/** Writes documentation of these files into a folder of its own, and gives that from which the server serves it. */
export async function writeDocsInFolder(
  files: readonly DocsFile[],
): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await TemporaryFolder.make();
  await writeDocs(folder.path, files);
  return { folder: join(folder.path, 'served-docs'), remove: () => folder.remove() };
}
