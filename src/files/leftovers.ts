/**
 * Finds and removes leftovers: content and thumbnails that belong to no file, and folders that a crash left in
 * `incoming`. What was written in the last day is kept, because its files may be about to be added, and so are content
 * and thumbnails newer than the last upload, because they may belong to another store.
 */
import { rmSync, statSync } from 'node:fs';
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeftoverStore } from '../store/parts/files.ts';
import { ContentStore } from './content-store.ts';
import { isOfRunningProcess, newIncomingName, staleMilliseconds } from './intake.ts';
import { thumbnailFolderOf, thumbnailName, thumbnailNameOf } from './thumbnail-name.ts';

/** How many contents one transaction removes. No file can be added while it runs. */
const contentsOfPart = 100;

export interface Leftover {
  readonly path: string;
  readonly bytes: number;
}

export interface Leftovers {
  readonly content: readonly (Leftover & { readonly sha256: Uint8Array })[];
  readonly thumbnails: readonly Leftover[];
  readonly incoming: readonly Leftover[];
  /** How many further contents and thumbnails no file has, which are too recent to be leftovers. */
  readonly tooRecent: number;
  /** Content and thumbnails that were written at this time or later are too recent. In milliseconds since 1970. */
  readonly writtenBefore: number;
}

/**
 * Looks for leftovers in the folder of a region's files, and changes nothing.
 * @param onFolder called with the number of parts done, of 257
 */
export async function findLeftovers(
  folder: string,
  store: LeftoverStore,
  { now, onFolder }: { now: () => Date; onFolder?: ((done: number) => void) | undefined },
): Promise<Leftovers> {
  const lastUpload = await store.readLastUpload();
  const dayAgo = now().getTime() - staleMilliseconds;
  const writtenBefore = Math.min(dayAgo, lastUpload === undefined ? -Infinity : Date.parse(lastUpload));
  const contents = new ContentStore(folder);
  const content: Leftovers['content'][number][] = [];
  let recentContents = 0;
  for (let firstByte = 0; firstByte < 256; firstByte += 1) {
    const unnamed = await unnamedContents(contents, firstByte, store);
    const paths = unnamed.map((sha256) => ({ sha256, path: contents.pathOf(sha256) }));
    const { old, tooRecent } = await judge(paths, writtenBefore);
    content.push(...old);
    recentContents += tooRecent;
    onFolder?.(firstByte + 1);
  }
  const unnamed = pathsIn(thumbnailFolderOf(folder), await unnamedThumbnails(folder, store));
  const { old: thumbnails, tooRecent } = await judge(unnamed, writtenBefore);
  onFolder?.(257);
  const abandoned = (await namesIn(contents.incomingFolder)).filter((name) => !isOfRunningProcess(name));
  const { old: incoming } = await judge(pathsIn(contents.incomingFolder, abandoned), dayAgo);
  return { content, thumbnails, incoming, tooRecent: recentContents + tooRecent, writtenBefore };
}

/**
 * Removes leftovers, unless a file refers to them by now or they turn out to be too recent.
 * @param onRemoved called with the number removed
 * @throws {StoreUnavailableError} if the store is unavailable; what was removed before stays removed
 */
export async function removeLeftovers(
  { content, thumbnails, incoming, writtenBefore }: Leftovers,
  folder: string,
  store: LeftoverStore,
  { onRemoved, signal }: { onRemoved?: ((done: number) => void) | undefined; signal?: AbortSignal },
): Promise<Pick<Leftovers, 'content' | 'thumbnails' | 'incoming'>> {
  const contents = new ContentStore(folder);
  const removed = new Set<string>();
  let done = 0;
  for (let start = 0; start < content.length; start += contentsOfPart) {
    signal?.throwIfAborted();
    const part = content.slice(start, start + contentsOfPart).map(({ sha256 }) => sha256);
    await store.removeUnnamed(part, (sha256) => {
      const path = contents.pathOf(sha256);
      // It may have been stored again meanwhile.
      const facts = statSync(path, { throwIfNoEntry: false });
      if (!facts || facts.mtimeMs >= writtenBefore) return;
      rmSync(path, { force: true });
      removed.add(path);
    });
    onRemoved?.((done += part.length));
  }
  const abandoned = await oldEnough(incoming, contents.incomingFolder);
  for (const { path } of [...thumbnails, ...abandoned]) {
    signal?.throwIfAborted();
    await rm(path, { recursive: true, force: true });
    onRemoved?.((done += 1));
  }
  return { content: content.filter(({ path }) => removed.has(path)), thumbnails, incoming: abandoned };
}

/** Those that are stale by the clock of the file system: that of this machine may be wrong (decision D168). */
async function oldEnough(incoming: readonly Leftover[], incomingFolder: string): Promise<Leftover[]> {
  if (incoming.length === 0) return [];
  const probe = join(incomingFolder, newIncomingName());
  await mkdir(probe, { mode: 0o700 });
  try {
    const { mtimeMs: now } = await stat(probe);
    return (await judge(incoming, now - staleMilliseconds)).old;
  } finally {
    await rmdir(probe);
  }
}

async function unnamedContents(contents: ContentStore, firstByte: number, store: LeftoverStore): Promise<Uint8Array[]> {
  const prefix = firstByte.toString(16).padStart(2, '0');
  const names = await namesIn(join(contents.contentFolder, prefix));
  const stored = names.filter((name) => name.startsWith(prefix) && /^[0-9a-f]{64}$/.test(name));
  if (stored.length === 0) return [];
  const named = new Set((await store.listContents(firstByte)).map((sha256) => Buffer.from(sha256).toString('hex')));
  return stored.filter((name) => !named.has(name)).map((name) => Buffer.from(name, 'hex'));
}

async function unnamedThumbnails(folder: string, store: LeftoverStore): Promise<string[]> {
  const names = new Set((await namesIn(thumbnailFolderOf(folder))).filter((name) => thumbnailName.test(name)));
  let after = '';
  for (;;) {
    const page = names.size === 0 ? [] : await store.listThumbnails(after);
    for (const { thumbnail_url: url } of page) names.delete(thumbnailNameOf(url) ?? '');
    const last = page.at(-1);
    if (!last) return [...names];
    after = last.file_id;
  }
}

const pathsIn = (folder: string, names: readonly string[]) => names.map((name) => ({ path: join(folder, name) }));

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function judge<P extends { path: string }>(paths: readonly P[], writtenBefore: number) {
  const old: (P & Leftover)[] = [];
  let tooRecent = 0;
  for (const one of paths) {
    const facts = await stat(one.path).catch(() => undefined);
    if (!facts) continue;
    if (facts.mtimeMs >= writtenBefore) tooRecent += 1;
    else old.push({ ...one, bytes: facts.isDirectory() ? await bytesIn(one.path) : facts.size });
  }
  return { old, tooRecent };
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await namesIn(folder)) bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  return bytes;
}
