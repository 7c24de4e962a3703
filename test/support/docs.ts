import { join } from 'node:path';
import { type DocsFile, writeDocs } from '../../scripts/docs/write.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/** Writes documentation of these files into a folder of its own; returns that from which the server serves it. */
export async function writeDocsInFolder(files: readonly DocsFile[]): Promise<string> {
  const folder = await TemporaryFolder.make();
  await writeDocs(folder.path, files);
  return join(folder.path, 'served-docs');
}
