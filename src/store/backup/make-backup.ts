/**
 * Makes a backup of a region on SQLite while servers run: first a snapshot of the database, then the files that the
 * snapshot references. A file is stored before the database references it and never changes afterwards, so the backup
 * finds each one.
 */
import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import type { Region } from '../../domain/region.ts';
import { ContentStore } from '../../files/content-store.ts';
import { makeFolder, syncFolder, syncFolders } from '../../files/durable.ts';
import { thumbnailFolderOf, thumbnailNameOf } from '../../files/thumbnail-name.ts';
import { StoreOpenError } from '../errors.ts';
import { versionOf } from '../sqlite/open.ts';
import { openSource } from '../sqlite/transfer.ts';
import {
  BackupError,
  copyPart,
  type Course,
  explainWrite,
  type Manifest,
  names,
  UnreadablePartError,
  writeManifest,
} from './format.ts';

export interface RegionData {
  readonly region: Region;
  readonly databasePath: string;
  readonly filesFolder: string;
}

/** If it fails, nothing is left. @throws {BackupError} about the folder, or {StoreOpenError} about the database */
export async function makeBackup(
  data: RegionData,
  folder: string,
  { now, ...course }: Course & { now: () => Date },
): Promise<Manifest> {
  const cannotWrite = explainWrite(`The backup ${folder}`);
  const { file, made } = await takeFolder(folder).catch(cannotWrite);
  try {
    return await fill(data, folder, file, now().toISOString(), course);
  } catch (error) {
    // The folder was empty, so this backup wrote everything in it.
    for (const name of await readdir(folder).catch(() => []))
      await rm(join(folder, name), { recursive: true }).catch(() => undefined);
    if (made) await rmdir(folder).catch(() => undefined);
    return cannotWrite(error);
  } finally {
    await file.close();
  }
}

/** Claims an empty or new folder. Of two concurrent backups, the one that creates the list of parts gets it. */
async function takeFolder(folder: string): Promise<{ file: FileHandle; made: boolean }> {
  const made = !existsSync(folder);
  await makeFolder(folder);
  const isEmpty = (await readdir(folder)).length === 0;
  const opening = isEmpty ? open(join(folder, names.parts), 'wx', 0o600) : undefined;
  const file = await opening?.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  if (file) return { file, made };
  throw new BackupError(
    `No backup was made: ${folder} is not empty. Name a new folder, or remove it if it is an interrupted backup.`,
  );
}

type AddPart = (name: string, copied: { sha256: string; bytes: number }) => Promise<void>;

async function fill(data: RegionData, folder: string, list: FileHandle, at: string, course: Course): Promise<Manifest> {
  let [parts, bytes] = [0, 0];
  const add: AddPart = async (name, copied) => {
    await list.writeFile(`${copied.sha256}  ${name}\n`);
    parts += 1;
    bytes += copied.bytes;
  };
  const path = join(folder, names.database);
  const database = await copyDatabase(data.databasePath, path, course);
  try {
    await add(names.database, await copyPart(path, undefined, course.signal));
    const missing = await copyFiles(database, data.filesFolder, folder, add, course);
    await list.sync();
    await syncFolders(folder);
    const { sha256: parts_sha256 } = await copyPart(join(folder, names.parts), undefined);
    const about = { region: data.region, schema_version: versionOf(database), created_at: at };
    const manifest = await writeManifest(folder, { ...about, parts, bytes, parts_sha256, missing });
    await syncFolder(folder);
    await syncFolder(dirname(resolve(folder)));
    return manifest;
  } finally {
    database.close();
  }
}

/** Small enough for a progress bar, and large enough that the pauses between steps cost little. */
const pagesOfStep = 1000;

/**
 * Copies a database to a single file without a `-wal` file, and returns it open. The source stays in one read transaction,
 * so that the copy never restarts, however much is written meanwhile.
 */
async function copyDatabase(from: string, to: string, { onProgress, signal }: Course): Promise<Database> {
  const source = openSource(from, 'backed up', 1);
  let copy: Database | undefined;
  try {
    source.exec('BEGIN');
    // The first read takes the snapshot.
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        signal?.throwIfAborted();
        onProgress?.('pages', totalPages - remainingPages, totalPages);
        return pagesOfStep;
      },
    });
    copy = new Sqlite(to, { fileMustExist: true });
    copy.exec('PRAGMA journal_mode = DELETE');
    const found = String(copy.pragma('integrity_check(1)', { simple: true }));
    if (found !== 'ok') throw damaged(from, found);
    return copy;
  } catch (error) {
    copy?.close();
    const { code, message } = error as NodeJS.ErrnoException;
    throw /^SQLITE_(CORRUPT|NOTADB)/.test(code ?? '') ? damaged(from, message) : error;
  } finally {
    source.close();
  }
}

function damaged(path: string, fault: string): StoreOpenError {
  return new StoreOpenError(
    `The database ${path} is damaged: ${fault}. No backup was made. Restore an earlier backup.`,
  );
}

/** Copies the files that a database references. Returns how many are missing or damaged, and so not in the backup. */
async function copyFiles(database: Database, from: string, to: string, add: AddPart, course: Course): Promise<number> {
  const { onProgress, signal } = course;
  const valuesOf = <T>(query: string) => database.prepare<[], T>(query).pluck();
  const count = valuesOf<number>('SELECT count(DISTINCT content_sha256) + count(*) FROM analysis').get() ?? 0;
  let done = 0;
  let missing = 0;
  const copy = async (source: string, name: string, expected?: string) => {
    onProgress?.('files', (done += 1), count);
    const target = join(to, name);
    await makeFolder(dirname(target));
    const copied = await copyPart(source, target, signal).catch((error: unknown) => {
      if (error instanceof UnreadablePartError) return undefined;
      throw error;
    });
    if (copied && (expected === undefined || copied.sha256 === expected)) return add(name, copied);
    await rm(target, { force: true });
    missing += 1;
  };
  const store = new ContentStore(from);
  for (const sha256 of valuesOf<Buffer>('SELECT DISTINCT content_sha256 FROM analysis ORDER BY 1').iterate()) {
    const digits = sha256.toString('hex');
    await copy(store.pathOf(sha256), `content/${digits.slice(0, 2)}/${digits}`, digits);
  }
  const thumbnails = valuesOf<string>('SELECT thumbnail_url FROM case_file JOIN analysis USING (file_id)');
  for (const url of thumbnails.iterate()) {
    const name = thumbnailNameOf(url);
    if (name !== undefined) await copy(join(thumbnailFolderOf(from), name), `thumbnails/${name}`);
  }
  return missing;
}
