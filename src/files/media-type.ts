/**
 * Detects the media type of a file by its content, never by its name. The types are those that this program's libraries
 * can read.
 */
import type { FileHandle } from 'node:fs/promises';

export const mediaTypes = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/webp': 'WebP',
  'text/plain': 'plain text in UTF-8',
} as const;

export type MediaType = keyof typeof mediaTypes;

const headBytes = 4100;
const chunkBytes = 64 * 1024;

export async function detectMediaType(file: FileHandle): Promise<MediaType | undefined> {
  const { fileTypeFromBuffer } = await import('file-type');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  const found = (await fileTypeFromBuffer(buffer.subarray(0, bytesRead)))?.mime;
  if (found === 'image/apng') return 'image/png';
  if (found !== undefined && found in mediaTypes) return found as MediaType;
  // Some signatures are two letters long, so a text can begin like an image.
  return (await isPlainText(file)) ? 'text/plain' : undefined;
}

/** Valid UTF-8 without other control characters than tabs, line ends and form feeds. */
async function isPlainText(file: FileHandle): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const chunk = Buffer.alloc(chunkBytes);
  let position = 0;
  try {
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, position);
      const text = decoder.decode(chunk.subarray(0, bytesRead), { stream: bytesRead > 0 });
      if (/[\0-\x08\x0b\x0e-\x1f\x7f]/.test(text)) return false;
      if (bytesRead === 0) return true;
      position += bytesRead;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
    throw error;
  }
}
