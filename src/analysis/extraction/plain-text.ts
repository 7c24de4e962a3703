import { readFile, stat } from 'node:fs/promises';
import type { ContentLimits } from './read-document.js';
import { UnreadableFileError } from './unreadable-file-error.js';

/** No encoding that is read takes more for one character. */
const mostBytesOfCharacter = 4;

/**
 * The text of a text file: UTF-8, or UTF-16 if it begins with the byte order mark of that.
 * @throws {UnreadableFileError} if it is no such text, or longer than the limits allow
 */
export async function plainText(path: string, { characters }: ContentLimits): Promise<string> {
  const tooMuch = new UnreadableFileError(
    'too-much-content',
    `The text has more than ${characters} characters, which is the most that is read.`,
  );
  if ((await stat(path)).size > mostBytesOfCharacter * (characters + 1)) throw tooMuch;
  const text = decode(await readFile(path));
  if (text.length > characters) throw tooMuch;
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFileError('broken-file', 'The text is not UTF-8, nor UTF-16 with a byte order mark.');
  }
}

function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}
