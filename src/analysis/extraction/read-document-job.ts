/** The part of reading a document that can take long and so runs in a process of its own. */
import type { InputFile } from '../bounded-process/input-file.ts';
import type { Job } from '../bounded-process/run-bounded.ts';
import { findDetails } from '../details/find-details.ts';
import { comparableText } from '../details/names-company.ts';
import { mostBytesOfText, type ReadDocument, type ReadDocumentOrder } from './document.ts';
import { plainText } from './plain-text.ts';
import { UnreadableFileError } from './unreadable-file-error.ts';

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
