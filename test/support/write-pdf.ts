/** PDF files written by hand, so that a test can write one as no program would. */
import { deflateSync } from 'node:zlib';
import { createHash } from 'node:crypto';

/** An object's content: a dictionary or array as text, or the bytes of a stream with its dictionary. */
export type PdfObject = string | { dictionary?: string; stream: Buffer };

/** A file of these objects, numbered from 1; the first one is the catalogue. */
export function pdfFile(objects: readonly PdfObject[], trailer = ''): Buffer {
  const parts = objects.map((object, index) => {
    const [before, after] = [`${index + 1} 0 obj\n`, '\nendobj\n'];
    if (typeof object === 'string') return Buffer.from(before + object + after);
    const { dictionary = '', stream } = object;
    const opening = `${before}<< ${dictionary} /Length ${stream.length} >>\nstream\n`;
    return Buffer.concat([Buffer.from(opening), stream, Buffer.from(`\nendstream${after}`)]);
  });
  parts.unshift(Buffer.from('%PDF-1.7\n'));
  let length = 0;
  const [, ...offsets] = parts.map((part) => (length += part.length) - part.length);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = parts.length;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(end)]);
}

const font = '<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>';

/** A document with one page for each content stream. */
export function pdfOfStreams(streams: readonly PdfObject[], catalogue = '', trailer = ''): Buffer {
  const pages = streams.map((_, index) => `${3 + index} 0 R`).join(' ');
  return pdfFile(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`,
      `<< /Type /Pages /Kids [${pages}] /Count ${streams.length} /MediaBox [0 0 612 792] /Resources ${font} >>`,
      ...streams.map((_, index) => `<< /Type /Page /Parent 2 0 R /Contents ${3 + streams.length + index} 0 R >>`),
      ...streams,
    ],
    trailer,
  );
}

export const pdfOf = (pages: readonly string[]): Buffer => pdfOfStreams(pages.map(showing));

/** A document like a scan: its page shows a picture in JPEG. */
export function pdfOfPicture(jpeg: Buffer, width: number, height: number): Buffer {
  const picture = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB`;
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>',
    '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /Scan 5 0 R >> >> >>',
    { stream: Buffer.from('612 0 0 792 0 0 cm /Scan Do') },
    { dictionary: `${picture} /BitsPerComponent 8 /Filter /DCTDecode`, stream: jpeg },
  ]);
}

export function showing(text: string): PdfObject {
  const lines = text.split('\n').map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`);
  return deflated(Buffer.from(`BT /F1 11 Tf 14 TL 40 760 Td\n${lines.join('\n')}\nET`, 'latin1'));
}

/** A stream that is stored deflated, so many times over. */
export function deflated(content: Buffer, times = 1): PdfObject {
  let stream = content;
  for (let time = 0; time < times; time += 1) stream = deflateSync(stream);
  return { dictionary: `/Filter [${' /FlateDecode'.repeat(times)}]`, stream };
}

const mebibyte = 2 ** 20;
const page = 'Company number 01234567';
const whole = pdfOf([page]);

const pagesTree = (...rest: string[]): Buffer => pdfFile(['<< /Type /Catalog /Pages 2 0 R >>', ...rest]);

/** Takes a processor minutes to read behind the first page, which is so many bytes of nothing, and little memory. */
export function slowPdf(bytes: number, seed = ''): Buffer {
  const slowPage = deflated(Buffer.concat([Buffer.from(`%${seed}\n`), Buffer.alloc(120 * mebibyte, '1 w ')]), 3);
  return pdfOfStreams([{ stream: Buffer.alloc(bytes, '%') }, ...Array<typeof slowPage>(40).fill(slowPage)]);
}

const form = '/Type /XObject /Subtype /Form /BBox [0 0 9 9]';

/** A form that draws twice the object of this number. */
const drawing = (number: number): PdfObject => ({
  dictionary: `${form} /Resources << /XObject << /X ${number} 0 R >> >>`,
  stream: Buffer.from('/X Do /X Do'),
});

/** A page that draws the first of these forms, whose number is 5. */
const pdfOfForms = (...forms: PdfObject[]): Buffer =>
  pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>',
    { stream: Buffer.from('/X Do') },
    ...forms,
  ]);

export const hostilePdfs = {
  'a broken cross-reference table': () =>
    Buffer.from(whole.toString('latin1').replace(/xref\n[^]*?trailer/, 'xref\n0 99999999\ngarbage\ntrailer'), 'latin1'),
  'a truncated file': () => whole.subarray(0, whole.length / 3),
  'noise behind the header': () =>
    Buffer.concat([Buffer.from('%PDF-1.7\n'), createHash('sha512').update('x').digest()]),
  'an image that calls itself a PDF': () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  'an empty file': () => Buffer.alloc(0),
  'a password that a user must enter': () => encrypted(),
  '512 MB in 512 kB': () => pdfOfStreams([deflated(Buffer.alloc(512 * mebibyte, ' '))]),
  '512 MB, deflated three times': () => pdfOfStreams([deflated(Buffer.alloc(512 * mebibyte, ' '), 3)]),
  'a page of 100 MB of operators': () => pdfOfStreams([deflated(Buffer.alloc(100 * mebibyte, 'q Q '))]),
  'a page of 100 MB of text': () =>
    pdfOfStreams([
      deflated(
        Buffer.concat([
          Buffer.from('BT /F1 9 Tf '),
          Buffer.alloc(100 * mebibyte, '(many words) Tj '),
          Buffer.from(' ET'),
        ]),
      ),
    ]),
  'a page tree that holds itself': () => pagesTree('<< /Type /Pages /Kids [2 0 R] /Count 1 >>'),
  'a page tree of two nodes that hold each other': () =>
    pagesTree(
      '<< /Type /Pages /Kids [3 0 R] /Count 2 >>',
      '<< /Type /Pages /Kids [2 0 R 2 0 R] /Parent 2 0 R /Count 2 >>',
    ),
  'a million pages declared, one there': () =>
    pagesTree('<< /Type /Pages /Kids [3 0 R] /Count 1000000 >>', '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>'),
  'a million pages that are one': () =>
    pagesTree(
      `<< /Type /Pages /Kids [${'3 0 R '.repeat(1_000_000)}] /Count 1000000 >>`,
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    ),
  'a thousand million pages by nodes that share their kids': () =>
    pagesTree(
      ...Array.from(
        { length: 30 },
        (_, level) => `<< /Type /Pages /Kids [${level + 3} 0 R ${level + 3} 0 R] /Count ${2 ** (30 - level)} >>`,
      ),
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    ),
  'arrays nested a million deep': () =>
    pagesTree(`<< /Type /Pages /Kids ${'['.repeat(1_000_000)}${']'.repeat(1_000_000)} /Count 1 >>`),
  'dictionaries nested a million deep': () => pagesTree(`${'<< /Kids '.repeat(1_000_000)} 1 ${'>>'.repeat(1_000_000)}`),
  'arrays nested a million deep in a content stream': () =>
    pdfOfStreams([deflated(Buffer.from(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)} TJ`))]),
  'a form that draws itself': () => pdfOfForms(drawing(5)),
  'a thousand million forms': () =>
    pdfOfForms(...Array.from({ length: 30 }, (_, level) => drawing(level + 6)), {
      dictionary: form,
      stream: Buffer.from('q Q'),
    }),
} satisfies Record<string, () => Buffer>;

/** RC4 of 40 bits, with a user password that nobody told. */
function encrypted(): Buffer {
  const id = '00112233445566778899aabbccddeeff';
  const secret = createHash('sha256').update('password').digest('hex');
  return pdfOfStreams(
    [showing(page)],
    '',
    `/ID [<${id}> <${id}>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${secret}> /U <${secret}> /P -4 >>`,
  );
}
