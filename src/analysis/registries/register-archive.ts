/**
 * A register's file as published. The directory at the end of a ZIP archive holds the size and CRC-32 of the content,
 * so truncation is always detected. An unpacked file that is truncated at the end of a line looks complete.
 */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { BulkFileError } from './register-file.ts';

const signature = Buffer.from('PK\u0003\u0004', 'latin1');

export interface RegisterFile {
  readonly archived: string | undefined;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

export async function openRegisterFile(path: string): Promise<RegisterFile> {
  const beginning = Buffer.alloc(signature.length);
  const file = await open(path);
  try {
    await file.read(beginning, 0, beginning.length, 0);
  } finally {
    await file.close();
  }
  if (beginning.equals(signature)) return openArchive(path);
  return { archived: undefined, bytes: (await stat(path)).size, content: createReadStream(path) };
}

async function openArchive(path: string): Promise<RegisterFile> {
  const archive = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(damaged);
  try {
    const entry = await onlyEntry(archive);
    return { archived: entry.fileName, bytes: entry.uncompressedSize, content: unpack(archive, entry) };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function onlyEntry(archive: ZipFile): Promise<Entry> {
  const found: Entry[] = [];
  try {
    for await (const entry of archive.eachEntry()) if (/\.csv$/i.test(entry.fileName)) found.push(entry);
  } catch (error) {
    damaged(error);
  }
  const [entry, second] = found;
  if (entry && !second) return entry;
  throw fault(`It must contain one CSV file, not ${entry ? 'several' : 'none'}.`);
}

/** The content of an entry. Compares its size and CRC-32 at the end. */
async function* unpack(archive: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let sum = 0;
  try {
    const stream = await archive.openReadStreamPromise(entry);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    damaged(error);
  } finally {
    archive.close();
  }
  if (sum !== entry.crc32) throw fault('It is damaged: its checksum does not match. Download it again.');
}

function fault(message: string): BulkFileError {
  return new BulkFileError([{ place: 'the archive', message }]);
}

function damaged(error: unknown): never {
  throw fault(`It is truncated or damaged: ${(error as Error).message.replace(/\.$/, '')}. Download it again.`);
}
