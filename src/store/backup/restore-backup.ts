/**
 * Restores a region from a backup into a data directory that has no data of the region. It first writes and checks
 * everything in a staging folder, then moves the files into place, and the database last: a server finds either the
 * complete data or none.
 */
import { existsSync } from 'node:fs';
import { link, readdir, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import type { Region } from '../../domain/region.ts';
import { makeFolder, syncFolder, syncFolders } from '../../files/durable.ts';
import { isBusy } from '../sqlite/connection.ts';
import type { RegionData } from './make-backup.ts';
import { BackupError, type Course, explainWrite, type Manifest, names, openBackup, readAllParts } from './format.ts';

/** Reads and checks all parts, and writes nothing. @throws {BackupError} if this program cannot restore the backup */
export async function checkBackup(folder: string, region: Region, course: Course = {}): Promise<Manifest> {
  const manifest = await openBackup(folder, region);
  await readAllParts(folder, manifest, () => undefined, course);
  return manifest;
}

/**
 * Restores a region. If it fails, it changes nothing.
 * @throws {BackupError} if the backup is damaged or of another kind, the region already has data, or the disk is full
 */
export async function restoreBackup(folder: string, data: RegionData, course: Course = {}): Promise<Manifest> {
  const manifest = await openBackup(folder, data.region);
  const dataDir = dirname(data.databasePath);
  const staging = join(dataDir, `document-analysis-${data.region}-restore`);
  const cannotWrite = explainWrite(`Nothing was restored: ${dataDir}`);
  await makeFolder(staging).catch(cannotWrite);
  const lock = takeLock(join(staging, lockName));
  try {
    requireEmpty(data.databasePath);
    // The files of a killed restore.
    for (const name of await readdir(staging))
      if (!name.startsWith(lockName)) await rm(join(staging, name), { recursive: true, force: true });
    await requireNoFiles(data.filesFolder);
    await requireSpace(dataDir, manifest.bytes);
    const targetOf = async (name: string): Promise<string> => {
      const path = join(staging, name === names.database ? name : join('files', name));
      await makeFolder(dirname(path));
      return path;
    };
    await makeFolder(join(staging, 'files'));
    await readAllParts(folder, manifest, targetOf, course);
    await syncFolders(staging);
    course.signal?.throwIfAborted();
    await place(staging, data);
    return manifest;
  } catch (error) {
    return cannotWrite(error);
  } finally {
    lock.close();
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
  }
}

const lockName = 'lock';
const nameAnother = 'name another data directory (DATA_DIR, --data-dir)';
const refusal = (reason: string) => new BackupError(`Nothing was restored: ${reason}`);

/** SQLite would read a leftover file beside the database, such as a `-wal` file, as part of it. */
function requireEmpty(databasePath: string): void {
  const found = ['', '-wal', '-shm', '-journal'].map((suffix) => databasePath + suffix).find(existsSync);
  if (found !== undefined)
    throw refusal(
      `${found} already exists. Stop all programs that use the database and move it away, ` +
        `together with its -wal and -shm files, or ${nameAnother}.`,
    );
}

async function requireNoFiles(filesFolder: string): Promise<void> {
  if ((await readdir(filesFolder).catch(() => [])).length > 0)
    throw refusal(
      `${filesFolder} already contains files. Move them away, or ${nameAnother}. ` +
        'They may come from a restore that was killed.',
    );
}

async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes)
    throw refusal(
      `the backup has ${bytes} bytes, and the disk of ${folder} has only ${free} free. ` +
        `Free disk space, or ${nameAnother}.`,
    );
}

/** Takes a lock of SQLite, which the operating system releases when the process ends for any reason. */
function takeLock(path: string): Database {
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw refusal(`another restore is writing to ${dirname(path)}. Wait until it has ended.`);
  }
}

async function place(staging: string, { databasePath, filesFolder }: RegionData): Promise<void> {
  const files = join(staging, 'files');
  await rename(files, filesFolder);
  try {
    await syncFolder(dirname(filesFolder));
    // Unlike renaming, linking does not replace a database that a server has created meanwhile.
    await link(join(staging, names.database), databasePath);
  } catch (error) {
    await rename(filesFolder, files);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') requireEmpty(databasePath);
    throw error;
  }
  await syncFolder(dirname(databasePath));
}
