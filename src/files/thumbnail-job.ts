/** Draws a thumbnail. It runs in a process of its own, because what it reads may be hostile. */
import type { Canvas } from '@napi-rs/canvas';
import type { Job } from '../analysis/bounded-process/run-bounded.ts';
import { drawGeneric } from './drawing/draw-generic.ts';
import type { MediaType } from './media-type.ts';

/** What is drawn. */
export interface ThumbnailOrder {
  /** The file; null for a picture that says no more than the media type. */
  path: string | null;
  mediaType: MediaType;
}

const webpQuality = 80;

export default (async ({ path, mediaType }) => {
  const canvas = path === null ? drawGeneric(mediaType) : await drawContent(path, mediaType);
  return canvas.encode('webp', webpQuality);
}) satisfies Job<ThumbnailOrder, Uint8Array>;

async function drawContent(path: string, mediaType: MediaType): Promise<Canvas> {
  switch (mediaType) {
    case 'application/pdf':
      return (await import('./drawing/draw-pdf.ts')).drawPdf(path);
    case 'text/plain':
      return (await import('./drawing/draw-text.ts')).drawText(path);
    default:
      return (await import('./drawing/draw-image.ts')).drawImage(path);
  }
}
