/** The part of reading a document that can take long and so runs in a process of its own. */
import type { InputFile } from '../bounded-process/input-file.ts';
import type { Job } from '../bounded-process/run-bounded.ts';
import { findDetails } from '../details/find-details.ts';
import { comparableText } from '../details/names-company.ts';
import {
  type ContentLimits,
  mostBytesOfText,
  type ReadDocument,
  type ReadDocumentOrder,
  UnreadableFileError,
} from './document.ts';

/** The maximum length of a character in UTF-8. */
const mostBytesOfCharacter = 4;

/**
 * Returns the text of a text file in UTF-8, the only encoding that imports accept.
 * @throws {UnreadableFileError} if it is not valid UTF-8, or exceeds the limits
 */
function plainText(file: InputFile, { characters }: ContentLimits): string {
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

export default (async (order, file) => {
  const reading = await readFile(order, file);
  if (reading.outcome !== 'text') return { output: reading };
  // It can be too long for JSON.
  return { output: { ...reading, comparableText: '' }, bytes: Buffer.from(reading.comparableText) };
}) satisfies Job<ReadDocumentOrder, ReadDocument>;

/** Reads a file. */
export async function readFile(order: ReadDocumentOrder, file: InputFile): Promise<ReadDocument> {
  try {
    return await read(order, file);
  } catch (error) {
    if (error instanceof UnreadableFileError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}

async function read({ mediaType, limits }: ReadDocumentOrder, file: InputFile): Promise<ReadDocument> {
  const paged = mediaType === 'application/pdf';
  const pages = paged
    ? await (await import('./pdf-pages.ts')).pdfPages(file.read(), limits)
    : [plainText(file, limits)];
  const pageCount = paged ? pages.length : null;
  if (pages.every((page) => page.trim() === '')) return { outcome: 'no_text', pages: pageCount };
  const details = findDetails(pages).map((detail) => (paged ? detail : { ...detail, page: null }));
  // A text can be large, and nothing compares it if there are no details.
  const comparable = details.length === 0 ? '' : comparableText(pages);
  if (Buffer.byteLength(comparable) > mostBytesOfText) {
    throw new UnreadableFileError('too-much-content', 'The text is longer than the most that is compared.');
  }
  return {
    outcome: 'text',
    pages: pageCount,
    characters: pages.reduce((sum, page) => sum + page.length, 0),
    details,
    comparableText: comparable,
  };
}
