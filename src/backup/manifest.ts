/** The manifest of a backup. It is written last: a folder without a manifest is an incomplete backup. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewFile } from '../files/durable.ts';
import type { Region } from '../domain/region.ts';
import { BackupError, damagedBackup } from './errors.ts';
import { names } from './parts.ts';

const format = 'document-analysis-backup';
/** Increment it when older versions of the program can no longer restore new backups. */
const formatVersion = 1;

const fields = ['region', 'schema_version', 'created_at', 'parts', 'bytes', 'parts_sha256', 'missing'] as const;

/** The description of a backup. */
export interface Manifest {
  readonly format: string;
  readonly format_version: number;
  readonly region: Region;
  /** The schema version of the database. */
  readonly schema_version: number;
  /** The time of the database snapshot. */
  readonly created_at: string;
  /** The number of parts: the database, and the files that it references. */
  readonly parts: number;
  readonly bytes: number;
  /** The digest of the list of parts. */
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

/**
 * Reads the manifest of a backup.
 * @throws {BackupError} if it is missing or damaged, or a newer program wrote it
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const { manifest, sha256 } = parse(await read(folder), folder);
  if (manifest.format !== format)
    throw new BackupError(`${folder} is not a backup of this program. Name a folder that the command backup created.`);
  if (manifest.format_version > formatVersion)
    throw new BackupError(
      `The backup ${folder} has format ${manifest.format_version}, and this program reads formats up to ${formatVersion} ` +
        'only. Restore it with the program version that made it, or a newer one.',
    );
  if (sha256 !== digestOf(manifest)) throw damagedBackup(folder, `${names.manifest} does not match its SHA-256`);
  const absent = fields.find((field) => !(field in manifest));
  if (absent !== undefined) throw damagedBackup(folder, `${names.manifest} does not have the field ${absent}`);
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
    const parsed = JSON.parse(text) as { manifest: Manifest | null; sha256: unknown };
    if (typeof parsed.manifest === 'object' && parsed.manifest !== null)
      return { ...parsed, manifest: parsed.manifest };
  } catch {
    // Report invalid JSON below, like JSON of another shape.
  }
  throw damagedBackup(folder, `${names.manifest} is not a manifest`);
}

function digestOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
