import { join, sep } from 'node:path';
import type { Canvas } from '@napi-rs/canvas';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { fit, pdfjsFolder, sheet } from './sheet.ts';

/** A picture in a document that has more is left out. */
const mostImagePixels = 50_000_000;

/** The first page of a PDF. */
export async function drawPdf(content: Uint8Array<ArrayBuffer>): Promise<Canvas> {
  const folder = (name: string) => join(pdfjsFolder, name) + sep;
  const document = await getDocument({
    data: new Uint8Array(content),
    standardFontDataUrl: folder('standard_fonts'),
    cMapUrl: folder('cmaps'),
    wasmUrl: folder('wasm'),
    iccUrl: folder('iccs'),
    useSystemFonts: false,
    maxImageSize: mostImagePixels,
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
