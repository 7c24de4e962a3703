import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** A body without the content coding that its request has asked for. What nobody has asked for stays as it came. */
export function decoded(
  body: Buffer,
  contentEncoding: string | undefined,
  headers: readonly (readonly [name: string, value: string])[],
): Buffer {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  const accepted = headers
    .filter(([name]) => name.toLowerCase() === 'accept-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((each) => each.replace(/;.*/, '').trim());
  const decode = decoders[coding];
  if (!decode || body.length === 0 || !(accepted.includes(coding) || accepted.includes('*'))) return body;
  try {
    return decode(body);
  } catch {
    return body;
  }
}
