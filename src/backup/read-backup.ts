import { join } from 'node:path';
import { type Region } from '../domain/region.ts';
import { currentVersion } from '../store/schema/migrations.ts';
import { readSnapshot } from '../store/sqlite/snapshot.ts';
import { BackupError, damagedBackup } from './errors.ts';
import type { Course } from './make-backup.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { copyPart, names, type Part, readParts, UnreadablePartError } from './parts.ts';

/**
 * Reads the manifest of a backup, checks that this program can restore it to the region, and checks the list of parts.
 * @throws {BackupError} if the backup is damaged, of another region, or made by a newer program
 */
export async function openBackup(folder: string, region: Region): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest.region !== region)
    throw new BackupError(
      `The backup ${folder} belongs to region ${manifest.region}, not ${region}. ` +
        `Add --region ${manifest.region} if you mean that region.`,
    );
  if (manifest.schema_version > currentVersion())
    throw new BackupError(
      `The backup ${folder} has schema version ${manifest.schema_version}, and this program supports versions up to ` +
        `${currentVersion()} only. Restore it with the program version that made it, or a newer one.`,
    );
  const { sha256 } = await readPart(folder, names.parts);
  if (sha256 !== manifest.parts_sha256) throw damaged(folder, names.parts);
  return manifest;
}

/**
 * Reads and checks each part of a backup, and writes it to the path that `targetOf` returns.
 * @throws {BackupError} at the first part that is missing or damaged, or if the list lacks parts
 */
export async function readAllParts(
  folder: string,
  { parts }: Manifest,
  targetOf: (name: string) => Promise<string> | undefined,
  { onProgress, signal }: Course,
): Promise<void> {
  let done = 0;
  let hasDatabase = false;
  for await (const part of readParts(folder)) {
    await requireSame(folder, part, await targetOf(part.name), signal);
    hasDatabase ||= part.name === names.database;
    done += 1;
    onProgress?.('files', done, parts);
  }
  if (!hasDatabase) throw damagedBackup(folder, `${names.parts} does not list ${names.database}`);
  if (done !== parts) throw damagedBackup(folder, `${names.parts} lists ${done} parts, and ${names.manifest} ${parts}`);
}

/**
 * Checks the database of a backup whose parts are all read.
 * @throws {BackupError} if this program cannot use it, or it references more files than the backup has
 */
export async function requireWhole(database: string, folder: string, { parts, missing }: Manifest): Promise<void> {
  await readSnapshot(database, (files, version) => {
    if (version < 1 || version > currentVersion())
      throw new BackupError(
        `The backup ${folder} has a database of schema version ${version}, which this program does not support. ` +
          'Restore it with the program version that made it, or a newer one.',
      );
    const absent = files.count - missing - (parts - 1);
    if (absent > 0)
      throw damagedBackup(folder, `${names.parts} does not list all files of the database: ${absent} missing`);
    return Promise.resolve();
  });
}

async function requireSame(folder: string, part: Part, to: string | undefined, signal?: AbortSignal): Promise<void> {
  const { sha256 } = await readPart(folder, part.name, to, signal);
  if (sha256 !== part.sha256) throw damaged(folder, part.name);
}

async function readPart(folder: string, name: string, to?: string, signal?: AbortSignal) {
  try {
    return await copyPart(join(folder, name), to, signal);
  } catch (error) {
    if (error instanceof UnreadablePartError)
      throw damagedBackup(folder, `${name} cannot be read: ${error.message}`, error);
    throw error;
  }
}

function damaged(folder: string, name: string): BackupError {
  return damagedBackup(folder, `${name} does not match its SHA-256`);
}
