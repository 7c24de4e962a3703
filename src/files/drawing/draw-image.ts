import { type Canvas, Image } from '@napi-rs/canvas';
import { fit, sheet } from './sheet.ts';

/** A picture of more is not unpacked; at four bytes each these are 400 MB. */
const mostPixels = 100_000_000;

/** A picture, made smaller. One that is small already is not made larger. */
export async function drawImage(content: Buffer): Promise<Canvas> {
  const image = new Image();
  const loaded = new Promise<void>((resolve, reject) => {
    image.onload = resolve;
    image.onerror = reject;
  });
  image.src = content;
  // The size is at the beginning of an image, so it is known before the pixels are read.
  if (image.width * image.height > mostPixels)
    throw new Error(`the picture has ${image.width} x ${image.height} pixels`);
  await loaded;
  await image.decode();
  const { width, height, scale } = fit(image.width, image.height);
  const { canvas, context } = scale < 1 ? sheet(width, height) : sheet(image.width, image.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
