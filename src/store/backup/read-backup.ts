/**
 * The manifest of a backup, and reading a backup. The manifest is written last: a folder without one is an incomplete
 * backup.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Region } from '../../domain/region.ts';
import { writeNewFile } from '../../files/durable.ts';
import { currentVersion } from '../schema/migrations.ts';
import { BackupError, copyPart, damagedBackup, names, type Part, readParts, UnreadablePartError } from './parts.ts';

const format = 'document-analysis-backup';
/** Increment it when older versions of the program can no longer restore new backups. */
const formatVersion = 1;

export interface Manifest {
  readonly format: string;
  readonly format_version: number;
  readonly region: Region;
  readonly schema_version: number;
  /** The time of the database snapshot. */
  readonly created_at: string;
  /** The number of parts: the database, and the files that it references. */
  readonly parts: number;
  readonly bytes: number;
  readonly parts_sha256: string;
  /** How many of the files that the database references were missing or damaged at the time of the backup. */
  readonly missing: number;
}

/** Writes the manifest of a backup whose parts are all written. */
export async function writeManifest(
  folder: string,
  facts: Omit<Manifest, 'format' | 'format_version'>,
): Promise<Manifest> {
  const manifest = { format, format_version: formatVersion, ...facts } satisfies Manifest;
  const text = JSON.stringify({ manifest, sha256: digestOf(manifest) }, null, 2);
  await writeNewFile(join(folder, names.manifest), Buffer.from(`${text}\n`));
  return manifest;
}

/** @throws {BackupError} if the manifest of a backup is missing or damaged, or a newer program wrote it */
async function readManifest(folder: string): Promise<Manifest> {
  const { manifest, sha256 } = parse(await read(folder), folder);
  if (manifest.format !== format)
    throw new BackupError(`${folder} is not a backup of this program. Name a folder that the command backup created.`);
  if (manifest.format_version > formatVersion)
    throw new BackupError(
      `The backup ${folder} has format ${manifest.format_version}, and this program reads formats up to ${formatVersion} ` +
        'only. Restore it with the program version that made it, or a newer one.',
    );
  if (sha256 !== digestOf(manifest)) throw damagedBackup(folder, `${names.manifest} does not match its SHA-256`);
  return manifest;
}

async function read(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, names.manifest), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `there is no ${names.manifest}. It is not a backup, or the backup was interrupted. Name another folder`
        : `${message}. Check that this user may read the folder`;
    throw new BackupError(`The backup ${folder} cannot be read: ${reason}.`, { cause: error });
  }
}

function parse(text: string, folder: string): { manifest: Manifest; sha256: unknown } {
  try {
    const { manifest, sha256 } = JSON.parse(text) as { manifest: Manifest | null; sha256: unknown };
    if (typeof manifest === 'object' && manifest !== null) return { manifest, sha256 };
  } catch {
    // Report invalid JSON below, like JSON of another shape.
  }
  throw damagedBackup(folder, `${names.manifest} is not a manifest`);
}

function digestOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** Reports the progress of a long operation, and stops it. */
export interface Course {
  /** Called with the number of database pages or files done so far. */
  readonly onProgress?: ((what: 'pages' | 'files', done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

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
  await requirePart(folder, { name: names.parts, sha256: manifest.parts_sha256 });
  return manifest;
}

/**
 * Reads and checks each part of a backup, and writes it to the path that `targetOf` returns.
 * @throws {BackupError} at the first part that is missing or damaged
 */
export async function readAllParts(
  folder: string,
  { parts }: Manifest,
  targetOf: (name: string) => Promise<string> | undefined,
  { onProgress, signal }: Course,
): Promise<void> {
  let done = 0;
  for await (const part of readParts(folder)) {
    await requirePart(folder, part, await targetOf(part.name), signal);
    onProgress?.('files', (done += 1), parts);
  }
}

/** Reads a part, and copies it to a path, if given. @throws {BackupError} if it is missing or damaged */
async function requirePart(folder: string, { name, sha256 }: Part, to?: string, signal?: AbortSignal): Promise<void> {
  const copied = await copyPart(join(folder, name), to, signal).catch((error: unknown) => {
    if (!(error instanceof UnreadablePartError)) throw error;
    throw damagedBackup(folder, `${name} cannot be read: ${error.message}`, error);
  });
  if (copied.sha256 !== sha256) throw damagedBackup(folder, `${name} does not match its SHA-256`);
}
