/** The part of reading a document that can take long and so runs in a process of its own. */
import { isUtf8 } from 'node:buffer';
import { fstatSync, readFileSync } from 'node:fs';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { AnalysisFailure } from '../../domain/analysis.ts';
import type { Job } from '../bounded-process/run-bounded.ts';
import { findDetails } from '../details/find-details.ts';
import { comparableText } from '../details/names-company.ts';
import type { ContentLimits, ReadDocument, ReadDocumentOrder } from './read-document.ts';
import { maxTextBytes } from './reading-bounds.ts';

/** The text of a file cannot be read. Its `failure` states the reason for people and for programs. */
class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
  readonly failure: AnalysisFailure;

  constructor(code: AnalysisFailure['code'], message: string) {
    super(message);
    this.failure = { code, message };
  }
}

const tooMuch = (message: string) => new UnreadableFileError('too-much-content', message);

const maxCharacterBytes = 4;

function plainText(file: number, { characters }: ContentLimits): string {
  const tooLong = tooMuch(`The text has more than ${characters} characters, which is the most that is read.`);
  if (fstatSync(file).size > maxCharacterBytes * (characters + 1)) throw tooLong;
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new UnreadableFileError('broken-file', 'The text is not UTF-8.');
  const text = new TextDecoder().decode(bytes);
  if (text.length > characters) throw tooLong;
  return text;
}

export default (async (order, file) => {
  const reading = await readFile(order, file);
  if (reading.outcome !== 'text') return { output: reading };
  // It can be too long for JSON.
  return { output: { ...reading, comparableText: '' }, bytes: Buffer.from(reading.comparableText) };
}) satisfies Job<ReadDocumentOrder, ReadDocument>;

export async function readFile({ mediaType, limits }: ReadDocumentOrder, file: number): Promise<ReadDocument> {
  const paged = mediaType === 'application/pdf';
  try {
    const pages = paged ? await pdfPages(readFileSync(file), limits) : [plainText(file, limits)];
    const pageCount = paged ? pages.length : null;
    if (pages.every((page) => page.trim() === '')) return { outcome: 'no_text', pages: pageCount };
    const details = findDetails(pages).map((detail) => (paged ? detail : { ...detail, page: null }));
    // A text can be large, and nothing compares it if there are no details.
    const comparable = details.length === 0 ? '' : comparableText(pages);
    if (Buffer.byteLength(comparable) > maxTextBytes)
      throw tooMuch('The text is longer than the most that is compared.');
    const characters = pages.reduce((sum, page) => sum + page.length, 0);
    return { outcome: 'text', pages: pageCount, characters, details, comparableText: comparable };
  } catch (error) {
    if (error instanceof UnreadableFileError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}

async function pdfPages(content: Uint8Array<ArrayBuffer>, limits: ContentLimits): Promise<string[]> {
  // Rendering is not needed, so no compiled code is loaded; pdf.js only requires that the class exists when it is loaded.
  Object.assign(globalThis, { DOMMatrix: Object });
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const loading = getDocument({
    data: new Uint8Array(content),
    // Compiles nothing from the file, and loads nothing else: no font, no network.
    isEvalSupported: false,
    useWasm: false,
    useSystemFonts: false,
    disableFontFace: true,
    verbosity: 0,
  });
  try {
    return await pagesOf(await loading.promise, limits);
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error;
    if ((error as Error).name === 'PasswordException')
      throw new UnreadableFileError('encrypted-file', 'The PDF cannot be read without its password.');
    throw new UnreadableFileError('broken-file', 'The file is damaged, or not a PDF.');
  }
}

async function pagesOf(document: PDFDocumentProxy, limits: ContentLimits): Promise<string[]> {
  const { numPages } = document;
  if (numPages > limits.pages) throw tooMuch(`The PDF has ${numPages} pages; at most ${limits.pages} are read.`);
  const pages: string[] = [];
  let charactersLeft = limits.characters;
  for (let number = 1; number <= numPages; number += 1) {
    const page = await document.getPage(number);
    const text = await textOf(page, charactersLeft, limits);
    charactersLeft -= text.length;
    pages.push(text);
    page.cleanup();
  }
  return pages;
}

/** The text of a page, read in chunks, so that an endless page is abandoned in time. */
async function textOf(page: PDFPageProxy, charactersLeft: number, limits: ContentLimits): Promise<string> {
  let text = '';
  const stream = page.streamTextContent() as ReadableStream<TextContent>;
  // pdf.js also writes to a cancelled stream, and the resulting error could not be caught.
  for await (const { items } of stream.values({ preventCancel: true })) {
    for (const item of items) if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str;
    if (text.length > charactersLeft)
      throw tooMuch(`The PDF holds more than ${limits.characters} characters of text, which is the most that is read.`);
  }
  return text;
}

type TextContent = Awaited<ReturnType<PDFPageProxy['getTextContent']>>;
