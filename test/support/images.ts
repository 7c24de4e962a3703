/** Pictures, made as a test needs them. */
import { crc32, deflateSync } from 'node:zlib';
import { createCanvas, Image } from '@napi-rs/canvas';

type Format = 'image/png' | 'image/jpeg' | 'image/webp';

/** A picture of one colour. */
export function pictureOf(format: Format, width: number, height: number, colour = 'red'): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = colour;
  context.fillRect(0, 0, width, height);
  // The type of each overload names one format alone.
  return canvas.toBuffer(format as 'image/png');
}

/** A PNG whose header says that it is so large, and whose few bytes unpack to as much as that. */
export function pngBomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const lines = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[['IHDR', header] as const, ['IDAT', lines] as const, ['IEND', Buffer.alloc(0)] as const].map(pngChunk),
  ]);
}

/** The size of a picture, and how many of its pixels are not white. */
export async function lookAt(picture: Uint8Array): Promise<{ width: number; height: number; marked: number }> {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const { width, height } = image;
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  let marked = 0;
  for (let at = 0; at < data.length; at += 4)
    if (Math.min(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0) < 200) marked += 1;
  return { width, height, marked };
}

function pngChunk([type, data]: readonly [string, Buffer]): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
