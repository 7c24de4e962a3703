/** Draws a thumbnail. It runs in a separate process, because its input may be hostile. */
import type { Canvas } from '@napi-rs/canvas';
import type { InputFile } from '../analysis/bounded-process/input-file.ts';
import type { Job } from '../analysis/bounded-process/run-bounded.ts';
import { drawGeneric } from './drawing/draw-generic.ts';
import type { MediaType } from './media-type.ts';

/** What is drawn. */
export interface ThumbnailOrder {
  mediaType: MediaType;
  /** Whether the picture says no more than the media type. */
  generic: boolean;
}

const webpQuality = 80;

export default (async ({ mediaType, generic }, file) => {
  const canvas = generic ? drawGeneric(mediaType) : await drawContent(file, mediaType);
  return { output: null, bytes: await canvas.encode('webp', webpQuality) };
}) satisfies Job<ThumbnailOrder, null>;

async function drawContent(file: InputFile, mediaType: MediaType): Promise<Canvas> {
  switch (mediaType) {
    case 'application/pdf':
      return (await import('./drawing/draw-pdf.ts')).drawPdf(file.read());
    case 'text/plain':
      return (await import('./drawing/draw-text.ts')).drawText(file);
    default:
      return (await import('./drawing/draw-image.ts')).drawImage(file.read());
  }
}
