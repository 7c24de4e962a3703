import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { readFile } from '../../../src/analysis/extraction/read-document-job.ts';
import { readDocument } from '../../../src/analysis/extraction/read-document.ts';
import { makeThumbnail } from '../../../src/files/add-files.ts';
import type { MediaType } from '../../../src/files/media-type.ts';
import { pictureOf } from '../../support/images.ts';
import { TemporaryFolder, withInputFile } from '../../support/temporary-folder.ts';
import { deflated, pdfFile, type PdfObject, pdfOf } from '../../support/write-pdf.ts';
import { oneOf, type OpenTarget } from '../fuzz-target.ts';

/** Past the bounds of a job's process, on a machine that does other work too. */
const readingMilliseconds = 70_000;
const thumbnailMilliseconds = 50_000;
const shareOfProcesses = 20;
const pdfType = 'application/pdf' as const;
const limits = { pages: 2000, characters: 5_000_000 };

const operator = fc.oneof(
  oneOf('BT|ET|q|Q|/F1 11 Tf|/X Do|(Company number 01234567) Tj|T*|[(a) -9 <4142>] TJ'),
  oneOf('1 0 0 1 0 0 cm|0 0 9 9 re f|BI /W 1 /H 1 /BPC 8 /CS /G ID x EI|/G gs|<< /a [ >> BDC|1e39 Tz'),
  fc.string({ maxLength: 20 }),
);
const stream = fc
  .tuple(fc.array(operator, { maxLength: 30 }), fc.constantFrom(0, 1, 2))
  .map(([operators, times]): PdfObject => {
    const content = Buffer.from(operators.join('\n'), 'latin1');
    return times === 0 ? { stream: content } : deflated(content, times);
  });
const reference = fc.integer({ min: 0, max: 9 }).map((number) => `${number} 0 R`);
const pdfValue = fc.oneof(reference, oneOf('null|[]|<< >>|-1|1e9|(a)|<4z>|/N|[0 0 9 9]|true'));
const names = oneOf('Type|Kids|Count|Parent|MediaBox|Contents|Resources|Font|Filter|Length|XObject');
const dictionary = fc
  .array(fc.tuple(names, pdfValue), { maxLength: 6 })
  .map((entries) => `<< ${entries.map(([name, value]) => `/${name} ${value}`).join(' ')} >>`);
const catalogue = ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>'];
const page =
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>';
const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const pdf = fc.oneof(
  fc.array(fc.lorem(), { maxLength: 3 }).map(pdfOf),
  fc
    .tuple(stream, fc.oneof(fc.constant(font), dictionary), fc.array(fc.oneof(dictionary, stream), { maxLength: 4 }))
    .map(([content, fonts, rest]) => pdfFile([...catalogue, page, content, fonts, ...rest])),
  fc.array(fc.oneof(dictionary, stream), { minLength: 1, maxLength: 9 }).map((objects) => pdfFile(objects)),
);

const picture = fc
  .tuple(
    fc.constantFrom('image/png' as const, 'image/jpeg' as const, 'image/webp' as const),
    fc.integer({ min: 1, max: 40 }),
  )
  .map(([format, size]) => pictureOf(format, size, size));
/** Sizes in a header that its few bytes do not have. */
const overstated = fc
  .tuple(picture, fc.nat({ max: 60 }), fc.uint8Array({ minLength: 1, maxLength: 8 }))
  .map(([bytes, at, some]) => Buffer.concat([bytes.subarray(0, at), some, bytes.subarray(at + some.length)]));

/**
 * Reads a PDF as an analysis does: one in twenty in a process of its own, which must end within its bounds. Starting that
 * takes most of the time, so the others are read here.
 */
export const openPdfs: OpenTarget = async () => {
  const folder = await TemporaryFolder.make();
  let count = 0;
  return {
    inputs: pdf,
    milliseconds: readingMilliseconds,
    run: async (input) => {
      const reading = await withInputFile(input, (file) => readFile({ mediaType: pdfType, limits }, file));
      if (count++ % shareOfProcesses === 0) {
        const bounded = await readDocument(await folder.write('input', input), pdfType);
        if (!isDeepStrictEqual(bounded, reading)) throw new Error(inspect({ bounded, reading }));
      }
      return reading.outcome === 'failed' ? reading.failure.code : reading.outcome;
    },
  };
};

const typeOfFirstByte: Readonly<Record<number, MediaType>> = { 0x25: pdfType, 0xff: 'image/jpeg', 0x52: 'image/webp' };

/** Makes thumbnails of pictures and of PDF files, in a process of its own: there is always one. */
export const openThumbnails: OpenTarget = async () => {
  const folder = await TemporaryFolder.make();
  return {
    inputs: fc.oneof(picture, overstated, pdf),
    milliseconds: thumbnailMilliseconds,
    run: async (input) => {
      const type = typeOfFirstByte[input[0] ?? 0] ?? 'image/png';
      const { webp, generic } = await makeThumbnail(await folder.write('input', input), type);
      if (Buffer.from(webp).toString('latin1', 8, 12) !== 'WEBP') throw new Error('the thumbnail is no WebP');
      return `${type} ${generic ? 'generic' : 'drawn'}`;
    },
  };
};
