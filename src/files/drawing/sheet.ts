import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { type Canvas, createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';

/** The longer side of a thumbnail, in pixels. */
export const longSide = 256;

/** The shorter side of a sheet of A4 whose longer side is as long as a thumbnail's. */
export const sheetWidth = 181;

/** Where pdfjs-dist is, which brings fonts. */
export const pdfjsFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** The size, in whole pixels, of something that is to fill a thumbnail and keep its proportions. */
export function fit(width: number, height: number): { width: number; height: number; scale: number } {
  const scale = longSide / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)), scale };
}

/** A white canvas. */
export function sheet(width: number, height: number): { canvas: Canvas; context: SKRSContext2D } {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  return { canvas, context };
}

/** Loads a font that is the same on every machine, and names it. */
export function sansSerif(weight: 'Regular' | 'Bold'): string {
  const family = `Thumbnail ${weight}`;
  GlobalFonts.registerFromPath(join(pdfjsFolder, 'standard_fonts', `LiberationSans-${weight}.ttf`), family);
  return family;
}
