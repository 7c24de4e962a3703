import { resolve } from 'node:path';
import { type Bounds, runBounded } from '../analysis/bounded-process/run-bounded.ts';
import type { MediaType } from './media-type.ts';
import type { ThumbnailOrder } from './thumbnail-job.ts';

const thumbnailBounds: Bounds = { milliseconds: 20_000, mebibytes: 768 };

/** A picture in WebP, at most 256 pixels wide and high. */
export interface Thumbnail {
  readonly webp: Uint8Array;
  /** Whether it shows the media type alone. */
  readonly generic: boolean;
}

/**
 * A picture of a file's content; of the media type alone if the file is broken, hostile, or more than can be drawn within the
 * bounds.
 * @throws {Error} if nothing can be drawn at all; the signal's reason if it is aborted
 */
export async function makeThumbnail(
  path: string,
  mediaType: MediaType,
  { signal, bounds = thumbnailBounds }: { signal?: AbortSignal | undefined; bounds?: Bounds } = {},
): Promise<Thumbnail> {
  const webp = await draw({ path: resolve(path), mediaType }, bounds, signal);
  if (webp) return { webp, generic: false };
  const generic = await draw({ path: null, mediaType }, thumbnailBounds, signal);
  if (!generic) throw new Error('no thumbnail can be drawn: see that the package @napi-rs/canvas is installed whole');
  return { webp: generic, generic: true };
}

async function draw(
  order: ThumbnailOrder,
  bounds: Bounds,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const job = new URL('./thumbnail-job.ts', import.meta.url);
  const outcome = await runBounded<Uint8Array>(job, order, bounds, signal);
  return outcome.outcome === 'done' ? outcome.output : undefined;
}
