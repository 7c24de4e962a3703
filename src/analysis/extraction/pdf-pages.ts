import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { type ContentLimits, UnreadableFileError } from './document.ts';

// Rendering is not needed, so no compiled code is loaded; pdf.js only requires that the class exists when it is loaded.
Object.assign(globalThis, { DOMMatrix: Object });
const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');

/**
 * Returns the text of each page of a PDF.
 * @throws {UnreadableFileError} if it is damaged, needs a password or exceeds the limits
 */
export async function pdfPages(content: Uint8Array<ArrayBuffer>, limits: ContentLimits): Promise<string[]> {
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
    throw refusalOf(error);
  }
}

async function pagesOf(document: PDFDocumentProxy, limits: ContentLimits): Promise<string[]> {
  if (document.numPages > limits.pages) {
    throw new UnreadableFileError(
      'too-much-content',
      `The PDF has ${document.numPages} pages; at most ${limits.pages} are read.`,
    );
  }
  const pages: string[] = [];
  let charactersLeft = limits.characters;
  for (let number = 1; number <= document.numPages; number += 1) {
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
    for (const item of items) {
      if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str;
    }
    if (text.length > charactersLeft) {
      throw new UnreadableFileError(
        'too-much-content',
        `The PDF holds more than ${limits.characters} characters of text, which is the most that is read.`,
      );
    }
  }
  return text;
}

type TextContent = Awaited<ReturnType<PDFPageProxy['getTextContent']>>;

function refusalOf(error: unknown): unknown {
  if (error instanceof UnreadableFileError) return error;
  if (error instanceof Error && error.name === 'PasswordException') {
    return new UnreadableFileError('encrypted-file', 'The PDF cannot be read without its password.');
  }
  return new UnreadableFileError('broken-file', 'The file is damaged, or not a PDF.');
}
