import type { InputFile } from '../bounded-process/input-file.ts';
import type { ContentLimits } from './document.ts';
import { UnreadableFileError } from './unreadable-file-error.ts';

/** The maximum length of a character in UTF-8. */
const mostBytesOfCharacter = 4;

/**
 * Returns the text of a text file in UTF-8, the only encoding that imports accept.
 * @throws {UnreadableFileError} if it is not valid UTF-8, or exceeds the limits
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
