import { closeSync, openSync } from 'node:fs';
import { InputFile } from '../../src/analysis/bounded-process/input-file.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/** Hands a file with this content to what a bounded job does with it. */
export async function withInputFile<T>(
  content: string | Uint8Array,
  work: (file: InputFile) => T | Promise<T>,
): Promise<T> {
  const folder = await TemporaryFolder.make();
  const descriptor = openSync(await folder.write('file', content), 'r');
  try {
    return await work(new InputFile(descriptor));
  } finally {
    closeSync(descriptor);
    await folder.remove();
  }
}
