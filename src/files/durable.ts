/** Changes of the file system that a power cut does not undo. All that is made is for its owner alone. */
import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path);
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

export function writeNewFile(path: string, content: Uint8Array): Promise<void> {
  return writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true });
}

/** Gives a file that is on the disk another name in the same file system; what has that name is replaced. */
export async function moveFile(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  await rename(from, to);
  await syncFolder(dirname(to));
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export async function syncFolders(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(path, entry.name));
  await syncFolder(path);
}
