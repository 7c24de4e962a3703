import { type BoundedJob, type Bounds, runBounded } from '../analysis/bounded-process/run-bounded.ts';
import type { MediaType } from './media-type.ts';
import { maxThumbnailBytes } from './read-thumbnail.ts';
import type { ThumbnailOrder } from './thumbnail-job.ts';

const thumbnailBounds: Bounds = { milliseconds: 20_000, processorSeconds: 20, mebibytes: 768 };
/** The generic picture does not depend on the file: only a busy machine takes long. */
const genericBounds: Bounds = { ...thumbnailBounds, milliseconds: 60_000 };

/** A picture in WebP, at most 256 pixels wide and high. */
export interface DrawnThumbnail {
  readonly webp: Uint8Array;
  readonly generic: boolean;
}

/**
 * A picture of a file's content, or only of its media type if the file is broken, hostile or exceeds the bounds.
 * @throws {Error} if nothing can be drawn at all; the signal's reason if it is aborted
 */
export async function makeThumbnail(
  path: string,
  mediaType: MediaType,
  { signal, bounds = thumbnailBounds }: { signal?: AbortSignal | undefined; bounds?: Bounds } = {},
): Promise<DrawnThumbnail> {
  const drawn = await draw({ mediaType, generic: false }, path, bounds, signal);
  if (drawn.outcome === 'done') return { webp: drawn.bytes, generic: false };
  const drawGeneric = () => draw({ mediaType, generic: true }, undefined, genericBounds, signal);
  let generic = await drawGeneric();
  // On a busy machine the native part was seen to end with SIGSEGV, with nothing of the file in it.
  if (generic.outcome === 'failed') generic = await drawGeneric();
  if (generic.outcome === 'done') return { webp: generic.bytes, generic: true };
  const reason = generic.outcome === 'failed' ? generic.message : generic.outcome;
  throw new Error(
    `no thumbnail can be drawn (${reason}): see that the package @napi-rs/canvas is installed whole, and that the machine is not overloaded`,
  );
}

function draw(input: ThumbnailOrder, file: string | undefined, bounds: Bounds, signal?: AbortSignal) {
  const module = new URL('./thumbnail-job.ts', import.meta.url);
  const packages = ['pdfjs-dist', '@napi-rs/canvas'];
  const job: BoundedJob = { module, input, file, packages, addons: true, maxBytes: maxThumbnailBytes };
  return runBounded<null>(job, bounds, signal);
}
