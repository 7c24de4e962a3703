/** Draws a thumbnail. It runs in a separate process, because its input may be hostile. */
import { type Canvas, createCanvas, GlobalFonts, Image, Path2D, type SKRSContext2D } from '@napi-rs/canvas';
import type { Job } from '../analysis/bounded-process/run-bounded.ts';
import { type MediaType, mediaTypes } from './media-type.ts';
import { readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';

export interface ThumbnailOrder {
  mediaType: MediaType;
  generic: boolean;
}

const webpQuality = 80;

export default (async ({ mediaType, generic }, file) => {
  const canvas = generic ? drawGeneric(mediaType) : await drawContent(file, mediaType);
  return { output: null, bytes: await canvas.encode('webp', webpQuality) };
}) satisfies Job<ThumbnailOrder, null>;

async function drawContent(file: number, mediaType: MediaType): Promise<Canvas> {
  switch (mediaType) {
    case 'application/pdf':
      return drawPdf(readFileSync(file));
    case 'text/plain':
      return drawText(file);
    default:
      return drawImage(readFileSync(file));
  }
}

/** Larger pictures in a document are omitted. */
const maxImagePixels = 50_000_000;

async function drawPdf(content: Uint8Array<ArrayBuffer>): Promise<Canvas> {
  const { getDocument, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const folder = (name: string) => join(pdfjsFolder, name) + sep;
  const document = await getDocument({
    data: new Uint8Array(content),
    standardFontDataUrl: folder('standard_fonts'),
    cMapUrl: folder('cmaps'),
    wasmUrl: folder('wasm'),
    iccUrl: folder('iccs'),
    useSystemFonts: false,
    maxImageSize: maxImagePixels,
    isEvalSupported: false,
    verbosity: VerbosityLevel.ERRORS,
  }).promise;
  const page = await document.getPage(1);
  const whole = page.getViewport({ scale: 1 });
  const { width, height, scale } = fit(whole.width, whole.height);
  const { canvas } = sheet(width, height);
  // The library's types ask for the canvas of a browser, whose place this one takes.
  const target = { canvas, viewport: page.getViewport({ scale }) } as unknown as Parameters<typeof page.render>[0];
  await page.render(target).promise;
  return canvas;
}

const readBytes = 16 * 1024;
const [margin, fontPixels, linePixels] = [10, 7, 9];
const lineCharacters = 160;

/** The first lines of a text on a sheet; long ones are cut at its edge. */
function drawText(file: number): Canvas {
  const { canvas, context } = sheet(sheetWidth, longSide);
  context.beginPath();
  context.rect(margin, 0, sheetWidth - 2 * margin, longSide);
  context.clip();
  context.fillStyle = '#202428';
  context.font = `${fontPixels}px "${sansSerif('Regular')}"`;
  const top = margin + fontPixels;
  const beginning = Buffer.alloc(readBytes);
  const bytes = readSync(file, beginning);
  // The last character may be incomplete.
  const text = new TextDecoder().decode(beginning.subarray(0, bytes), { stream: true });
  const lines = text.split(/\r\n|[\n\r\f]/).slice(0, Math.ceil((longSide - margin - top) / linePixels));
  for (const [index, line] of lines.entries())
    context.fillText(line.replaceAll('\t', '    ').slice(0, lineCharacters), margin, top + index * linePixels);
  return canvas;
}

const ear = 44;

/** A sheet with a dog's ear and the name of a media type. */
export function drawGeneric(mediaType: MediaType): Canvas {
  const { canvas, context } = sheet(sheetWidth, longSide);
  context.strokeStyle = '#8a929c';
  context.lineWidth = 2;
  context.strokeRect(1, 1, sheetWidth - 2, longSide - 2);
  context.fillStyle = '#dfe3e8';
  const corner = new Path2D(`M${sheetWidth - ear} 1 V${ear} H${sheetWidth - 1} Z`);
  context.fill(corner);
  context.stroke(corner);
  context.fillStyle = '#4a525c';
  context.font = `40px "${sansSerif('Bold')}"`;
  context.textAlign = 'center';
  const word = mediaType === 'text/plain' ? 'Text' : mediaTypes[mediaType];
  context.fillText(word, sheetWidth / 2, longSide / 2 + 14);
  return canvas;
}

const longSide = 256;

/** The shorter side of a sheet of A4 whose longer side is as long as a thumbnail's. */
const sheetWidth = 181;

/** The folder of pdfjs-dist, which includes fonts. */
const pdfjsFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

export function fit(width: number, height: number): { width: number; height: number; scale: number } {
  const scale = longSide / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)), scale };
}

export function sheet(width: number, height: number): { canvas: Canvas; context: SKRSContext2D } {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  return { canvas, context };
}

function sansSerif(weight: 'Regular' | 'Bold'): string {
  const family = `Thumbnail ${weight}`;
  GlobalFonts.registerFromPath(join(pdfjsFolder, 'standard_fonts', `LiberationSans-${weight}.ttf`), family);
  return family;
}

/** Larger pictures are not decoded: at four bytes a pixel, this is 400 MB. */
const maxPixels = 100_000_000;

/** Scales a picture down, never up. */
export async function drawImage(content: Buffer): Promise<Canvas> {
  const image = new Image();
  const loaded = new Promise<void>((resolve, reject) => {
    image.onload = resolve;
    image.onerror = reject;
  });
  image.src = content;
  // The size is at the beginning of an image, so it is known before the pixels are read.
  if (image.width * image.height > maxPixels)
    throw new Error(`the picture has ${image.width} x ${image.height} pixels`);
  await loaded;
  await image.decode();
  const { width, height, scale } = fit(image.width, image.height);
  const { canvas, context } = scale < 1 ? sheet(width, height) : sheet(image.width, image.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
