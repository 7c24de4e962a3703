import { open } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { detectMediaType } from '../../../src/files/media-type.ts';
import { pictureOf } from '../../support/images.ts';
import { pdfOf } from '../../support/write-pdf.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await TemporaryFolder.make();
});
afterEach(() => folder.remove());

async function typeOf(content: string | Uint8Array): Promise<string | undefined> {
  const file = await open(await folder.write('invoice.docx', content));
  try {
    return await detectMediaType(file);
  } finally {
    await file.close();
  }
}

describe('the media type of a file', () => {
  test.each(['image/png', 'image/jpeg', 'image/webp'] as const)('%s is known by its content', async (format) => {
    expect(await typeOf(pictureOf(format, 3, 2))).toBe(format);
  });

  test('PDF is known by its content', async () => {
    expect(await typeOf(pdfOf(['Invoice']))).toBe('application/pdf');
  });

  test.each([
    ['words', 'Company number 01234567\r\n\tVAT GB 123 4567 82\n\f'],
    ['a byte order mark', '\ufeffUne société\n'],
    ['all scripts', '株式会社 🏢 Общество'],
    ['a beginning like that of a bitmap', 'BMW Ltd, company number 01234567'],
    ['a beginning like that of a program', 'MZ Holdings Limited'],
    ['characters of several bytes across the reader’s chunks', `x${'é'.repeat(100_000)}`],
  ])('text is known: %s', async (_, text) => {
    expect(await typeOf(text)).toBe('text/plain');
  });

  test.each([
    ['a zip archive', Buffer.from('PK\x03\x04 and so on')],
    ['another image format', Buffer.from('GIF89a\x01\0\x01\0\x80\0\0')],
    ['text in UTF-16', Buffer.from('\ufefftext', 'utf16le')],
    ['text in Latin-1', Buffer.from('société', 'latin1')],
    ['a text that is cut within a character', Buffer.from('société').subarray(0, -1)],
    ['a control character', Buffer.from('a\x1b[2J')],
    ['one byte behind a long text that is no text', Buffer.concat([Buffer.alloc(200_000, 'a'), Buffer.from([0xff])])],
  ])('nothing else is: %s', async (_, content) => {
    expect(await typeOf(content)).toBeUndefined();
  });
});
