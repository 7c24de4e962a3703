/** PDF files written by hand, so that a test can write one as no program would. */
import { deflateSync } from 'node:zlib';

/** An object's content: a dictionary or array as text, or the bytes of a stream with its dictionary. */
export type PdfObject = string | { dictionary?: string; stream: Buffer };

/** A file of these objects, numbered from 1; the first one is the catalogue. */
export function pdfFile(objects: readonly PdfObject[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const write = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    write(Buffer.from(`${index + 1} 0 obj\n`));
    if (typeof object === 'string') write(Buffer.from(object));
    else {
      write(Buffer.from(`<< ${object.dictionary ?? ''} /Length ${object.stream.length} >>\nstream\n`));
      write(object.stream);
      write(Buffer.from('\nendstream'));
    }
    write(Buffer.from('\nendobj\n'));
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  write(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
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

/** A document whose pages show these lines. */
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

/** A content stream that shows the lines of a text. */
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
