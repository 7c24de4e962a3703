import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterwards } from './afterwards.ts';

/** Removes a folder, if it is there; a process that has just been killed may still have been writing to it. */
export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10 });
}

/** Makes a folder that is removed after the tests of the file. */
export async function makeTemporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'document-analysis-'));
  afterwards(() => removeFolder(path));
  return path;
}

/** Such a folder, with what writes into it. */
export class TemporaryFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<TemporaryFolder> {
    return new TemporaryFolder(await makeTemporaryFolder());
  }

  async write(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(this.path, name);
    await writeFile(path, content);
    return path;
  }

  remove(): Promise<void> {
    return removeFolder(this.path);
  }
}

/** Hands an open file with this content to what a bounded job does with it. */
export async function withInputFile<T>(
  content: string | Uint8Array,
  work: (file: number) => T | Promise<T>,
): Promise<T> {
  const folder = await TemporaryFolder.make();
  const descriptor = openSync(await folder.write('file', content), 'r');
  try {
    return await work(descriptor);
  } finally {
    closeSync(descriptor);
    await folder.remove();
  }
}
