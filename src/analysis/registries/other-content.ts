import { BulkFileError } from './bulk-file-error.ts';

const firstBytes = 512;

/** Content that is not CSV, recognised by its first bytes, and the message that says what to do. */
const otherContents: readonly (readonly [begins: RegExp, message: string])[] = [
  [/^PK\u0003\u0004/, 'It is a ZIP archive: unpack it.'],
  [/^\u001f\u008b/, 'It is compressed with gzip: unpack it.'],
  [/^(?:\u00ff\u00fe|\u00fe\u00ff)/, 'It is text in UTF-16. The registers are published in UTF-8: download it again.'],
  [/^<(?:!doctype html|html)/i, 'It is a web page, not a register: the download has failed.'],
  [/^<[^]*corpcan/i, 'It is the former XML edition of the federal corporations. Import the CSV files.'],
  [/^</, 'It is XML, not CSV.'],
  [/^[{[]/, 'It is JSON, not CSV.'],
];

/** Passes a file on, unless its first bytes show that it is not CSV. @throws {BulkFileError} */
export async function* refuseOtherContent(
  file: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  const held: (string | Uint8Array)[] = [];
  let size = 0;
  let checked = false;
  for await (const chunk of file) {
    if (checked) {
      yield chunk;
      continue;
    }
    held.push(chunk);
    size += chunk.length;
    if (size < firstBytes) continue;
    checked = true;
    refuse(held);
    yield* held;
  }
  if (checked) return;
  refuse(held);
  yield* held;
}

function refuse(chunks: readonly (string | Uint8Array)[]): void {
  const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk as string))).subarray(0, firstBytes);
  const text = bytes
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();
  const other = otherContents.find(([begins]) => begins.test(text));
  if (other) throw new BulkFileError([{ place: 'line 1', message: other[1] }]);
}
