import type { InputFile } from '../bounded-process/input-file.ts';
import type { ContentLimits } from './document.ts';
import { UnreadableFileError } from './unreadable-file-error.ts';

/** UTF-8 takes no more for one character. */
const mostBytesOfCharacter = 4;

/**
 * The text of a text file in UTF-8, the encoding that is taken in.
 * @throws {UnreadableFileError} if it is no such text, or longer than the limits allow
 */
export function plainText(file: InputFile, { characters }: ContentLimits): string {
  const tooMuch = new UnreadableFileError(
    'too-much-content',
    `The text has more than ${characters} characters, which is the most that is read.`,
  );
  if (file.size > mostBytesOfCharacter * (characters + 1)) throw tooMuch;
  const text = decode(file.read());
  if (text.length > characters) throw tooMuch;
  return text;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFileError('broken-file', 'The text is not UTF-8.');
  }
}
