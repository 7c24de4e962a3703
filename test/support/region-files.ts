import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ContentStore } from '../../src/files/content-store.ts';
import { newThumbnailName, thumbnailFolderOf, thumbnailsPath } from '../../src/files/thumbnail-name.ts';
import type { Store } from '../../src/store/store.ts';

/** Adds files to a case as `file add` does, many in little time: what they show is not drawn. */
export async function addStoredFiles(
  store: Store,
  folder: string,
  caseId: string,
  contents: readonly string[],
  { label = 'file.txt', at = new Date().toISOString() } = {},
) {
  const files = contents.map((content) => ({
    file_id: randomUUID(),
    label,
    uploaded_at: at,
    name: newThumbnailName(),
    mime_type: 'text/plain',
    content_sha256: createHash('sha256').update(content).digest(),
    content,
  }));
  for (const { content, content_sha256: sha256, name } of files) {
    await storeContent(folder, sha256, content);
    await mkdir(thumbnailFolderOf(folder), { recursive: true });
    await writeFile(join(thumbnailFolderOf(folder), name), `picture of ${content}`);
  }
  await store.addFiles({
    caseId,
    files: files.map(({ name, content: _, ...file }) => ({
      ...file,
      thumbnail_url: `https://api.example${thumbnailsPath}${name}`,
    })),
    at,
  });
  return files;
}

export async function storeContent(folder: string, sha256: Uint8Array, content: string): Promise<string> {
  const path = new ContentStore(folder).pathOf(sha256);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

/** Each file below a folder by its path there, with its content in hexadecimal digits. */
export async function readTree(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const found = new Map<string, string>();
  for (const entry of names) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found.set(path.slice(folder.length + 1), (await readFile(path)).toString('hex'));
  }
  return found;
}
