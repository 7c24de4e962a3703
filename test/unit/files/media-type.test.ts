import { open } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { detectMediaType } from '../../../src/files/media-type.ts';
import { pictureOf } from '../../support/images.ts';
import { pdfOf } from '../../support/write-pdf.ts';
import { TemporaryFolder } from '../../support/temporary-folder.ts';

const folder = await TemporaryFolder.make();

const text = 'text/plain';
test.each<[string, string | Uint8Array, string | undefined]>([
  ...(['image/png', 'image/jpeg', 'image/webp'] as const).map((format): [string, Buffer, string] => [
    format,
    pictureOf(format, 3, 2),
    format,
  ]),
  ['PDF', pdfOf(['Invoice']), 'application/pdf'],
  ['words', 'Company number 01234567\r\n\tVAT GB 123 4567 82\n\f', text],
  ['a byte order mark', '\ufeffUne société\n', text],
  ['all scripts', '株式会社 🏢 Общество', text],
  ['a beginning like that of a bitmap', 'BMW Ltd, company number 01234567', text],
  ['a beginning like that of a program', 'MZ Holdings Limited', text],
  ['characters of several bytes across the reader’s chunks', `x${'é'.repeat(100_000)}`, text],
  ['a zip archive', 'PK\x03\x04 and so on', undefined],
  ['another image format', 'GIF89a\x01\0\x01\0\x80\0\0', undefined],
  ['text in UTF-16', Buffer.from('\ufefftext', 'utf16le'), undefined],
  ['text in Latin-1', Buffer.from('société', 'latin1'), undefined],
  ['a text that is cut within a character', Buffer.from('société').subarray(0, -1), undefined],
  ['a control character', 'a\x1b[2J', undefined],
  ['one byte that is no text, far behind', Buffer.concat([Buffer.alloc(200_000, 'a'), Buffer.of(0xff)]), undefined],
])('the media type of a file is known by its content: %s', async (_, content, mediaType) => {
  const file = await open(await folder.write('invoice.docx', content));
  try {
    expect(await detectMediaType(file)).toBe(mediaType);
  } finally {
    await file.close();
  }
});
