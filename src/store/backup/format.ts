/**
 * The form of a backup: the database, the files that it references, a list of these parts, and a manifest, which is
 * written last: a folder without one is an incomplete backup. The list has a line for each part, as `sha256sum --check`
 * reads it:
 *
 *     c0ffee…  content/c0/c0ffee…
 */
import { createHash, hash as hashOf } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { OperatorError } from '../../domain/errors.ts';
import type { Region } from '../../domain/region.ts';
import { writeNewFile } from '../../files/durable.ts';
import { thumbnailName } from '../../files/thumbnail-name.ts';
import { currentVersion } from '../schema/migrations.ts';

export const names = { manifest: 'manifest.json', parts: 'parts.sha256', database: 'database.sqlite' } as const;

const chunkBytes = 256 * 1024;

interface Part {
  readonly name: string;
  readonly sha256: string;
}

/** @throws {BackupError} if a line of the list names no part: other paths could lead out of the backup */
async function* readParts(folder: string): AsyncGenerator<Part> {
  const lines = createInterface({ input: createReadStream(join(folder, names.parts)), crlfDelay: Infinity });
  for await (const line of lines) {
    const [, sha256, name] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? [];
    if (sha256 === undefined || name === undefined || !isPart(name))
      throw damagedBackup(folder, `${names.parts} has a line that does not name a part`);
    yield { sha256, name };
  }
}

function isPart(name: string): boolean {
  if (name.startsWith('thumbnails/')) return thumbnailName.test(name.slice('thumbnails/'.length));
  return name === names.database || /^content\/([0-9a-f]{2})\/(?=\1)[0-9a-f]{64}$/.test(name);
}

/** The source of a copy cannot be read. */
export class UnreadablePartError extends Error {
  override readonly name = 'UnreadablePartError';
}

function unreadable(cause: unknown): never {
  throw new UnreadablePartError((cause as Error).message, { cause });
}

/** Copies a file to the disk, or only reads it. @throws {UnreadablePartError} if it cannot be read, or is a symbolic link */
export async function copyPart(from: string, to: string | undefined, signal?: AbortSignal) {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(unreadable);
  const hash = createHash('sha256');
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await source.read(chunk, 0, chunkBytes, bytes).catch(unreadable);
      if (bytesRead === 0) return;
      hash.update(chunk.subarray(0, bytesRead));
      bytes += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }
  try {
    const read = chunks();
    if (to === undefined) while ((await read.next()).done !== true);
    else await writeFile(to, read, { flag: 'wx', mode: 0o600, flush: true });
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await source.close();
  }
}

/** A backup cannot be made, read or restored. */
export class BackupError extends OperatorError {
  override readonly name = 'BackupError';
}

function damagedBackup(folder: string, fault: string, cause?: unknown): BackupError {
  return new BackupError(`The backup ${folder} is damaged: ${fault}. Restore another backup.`, { cause });
}

/** Turns an error of the file system into one that names the place and what to do. Other errors stay as they are. */
export function explainWrite(place: string): (error: unknown) => never {
  return (error) => {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    const full = code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL';
    if (syscall === undefined && !full) throw error;
    const advice = full ? 'Free disk space, or name a folder on another disk' : 'Check that the folder is writable';
    throw new BackupError(`${place} cannot be written: ${message}. ${advice}.`, { cause: error });
  };
}

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
  const text = await readFile(join(folder, names.manifest), 'utf8').catch((cause: unknown) => {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `there is no ${names.manifest}. It is not a backup, or the backup was interrupted. Name another folder`
        : `${message}. Check that this user may read the folder`;
    throw new BackupError(`The backup ${folder} cannot be read: ${reason}.`, { cause });
  });
  const { manifest, sha256 } = parse(text);
  if (typeof manifest !== 'object' || manifest === null)
    throw damagedBackup(folder, `${names.manifest} is not a manifest`);
  if (manifest.format !== format)
    throw new BackupError(`${folder} is not a backup of this program. Name a folder that the command backup created.`);
  const { format_version, schema_version } = manifest;
  if (format_version > formatVersion || schema_version > currentVersion())
    throw new BackupError(
      `The backup ${folder} has format ${format_version} and schema version ${schema_version}, and this program supports ` +
        `them up to ${formatVersion} and ${currentVersion()} only. Restore it with the program version that made it, or a newer one.`,
    );
  if (sha256 !== digestOf(manifest)) throw damagedBackup(folder, `${names.manifest} does not match its SHA-256`);
  return manifest;
}

function parse(text: string): { manifest?: Manifest | null; sha256?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

const digestOf = (manifest: Manifest) => hashOf('sha256', JSON.stringify(manifest));

/** Reports the progress of a long operation, and stops it. */
export interface Course {
  /** Called with the number of database pages or files done so far. */
  readonly onProgress?: ((what: 'pages' | 'files', done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Checks manifest and list. @throws {BackupError} if they are damaged, of another region, or made by a newer program */
export async function openBackup(folder: string, region: Region): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest.region !== region)
    throw new BackupError(
      `The backup ${folder} belongs to region ${manifest.region}, not ${region}. ` +
        `Add --region ${manifest.region} if you mean that region.`,
    );
  await requirePart(folder, { name: names.parts, sha256: manifest.parts_sha256 });
  return manifest;
}

/** Reads each part, and copies it to the path that `targetOf` returns. @throws {BackupError} at the first damaged one */
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

async function requirePart(folder: string, { name, sha256 }: Part, to?: string, signal?: AbortSignal): Promise<void> {
  const copied = await copyPart(join(folder, name), to, signal).catch((error: unknown) => {
    if (!(error instanceof UnreadablePartError)) throw error;
    throw damagedBackup(folder, `${name} cannot be read: ${error.message}`, error);
  });
  if (copied.sha256 !== sha256) throw damagedBackup(folder, `${name} does not match its SHA-256`);
}
