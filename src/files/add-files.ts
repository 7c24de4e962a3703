/** Adds files to a case: content and thumbnails are put in their places first, then the case gets all of them or none. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BoundedJob, type Bounds, runBounded } from '../analysis/bounded-process/run-bounded.ts';
import { unknownMediaType } from '../domain/case.ts';
import type { Store } from '../store/store.ts';
import type { ExpectedFile, NewFile } from '../store/parts/files.ts';
import { ContentSweptError, StoreUnavailableError } from '../store/errors.ts';
import { ContentFolderError, ContentStore } from './content-store.ts';
import { moveFile } from './durable.ts';
import { type Intake, openIntake, type TakenFile } from './intake.ts';
import type { MediaType } from './media-type.ts';
import { maxThumbnailBytes } from './read-thumbnail.ts';
import type { FileSettings } from './settings.ts';
import type { ThumbnailOrder } from './thumbnail-job.ts';
import { newThumbnailName, thumbnailFolderOf, thumbnailsPath } from './thumbnail-name.ts';

export interface FileAddition {
  readonly caseId: string;
  readonly files: readonly SourceFile[];
  /** The file of the case that waits for this upload, if the one file is not a new one. */
  readonly awaitedFileId?: string | undefined;
}

export interface SourceFile {
  readonly path: string;
  readonly label: string;
}

export interface FileAdditionContext {
  readonly store: Pick<Store, 'addFiles'>;
  readonly settings: FileSettings & { readonly thumbnailBaseUrl: string };
  readonly now: () => Date;
  /** Called after each file with the number that are ready to be added. */
  readonly onFile?: ((ready: number) => void) | undefined;
  /** Aborted, nothing is added, unless the store is adding already. */
  readonly signal?: AbortSignal;
}

export interface AddedFile extends NewFile {
  readonly bytes: number;
  /** Whether its thumbnail shows the media type alone, because the content could not be drawn. */
  readonly generic_thumbnail: boolean;
}

export class RefusedFilesError extends Error {
  override readonly name = 'RefusedFilesError';
  /** The reason is a `RefusedFileError`, or an error of the file system. */
  readonly refusals: readonly { readonly path: string; readonly reason: unknown }[];

  constructor(refusals: RefusedFilesError['refusals']) {
    super(`${refusals.length} of the files are refused.`);
    this.refusals = refusals;
  }
}

type ReadyFile = Awaited<ReturnType<typeof withThumbnail>>;

/**
 * @throws {RefusedFilesError} with every file that is refused
 * @throws {ContentFolderError} if no file can be stored
 * @throws the errors of the store's `addFiles`, and the signal's reason if it is aborted
 */
export async function addFiles(addition: FileAddition, context: FileAdditionContext): Promise<AddedFile[]> {
  const { caseId, files, awaitedFileId } = addition;
  const { store, settings, now, signal } = context;
  const contentStore = new ContentStore(settings.folder);
  const intake = await openIntake(contentStore, settings.maxBytes, signal);
  try {
    const ready: ReadyFile[] = [];
    for (const file of await takeAll(intake, files, context)) {
      ready.push(await withThumbnail(intake, file, context));
      context.onFile?.(ready.length);
    }
    const added = ready.map((file) => ({ ...file.added, file_id: awaitedFileId ?? file.added.file_id }));
    const awaited = awaitedFileId !== undefined;
    const keepContents = async () => {
      for (const { taken } of ready) await contentStore.keep(taken.path, taken.sha256);
    };
    const add = () => {
      const isStored = contentStore.has.bind(contentStore);
      return store.addFiles({ caseId, files: added.map(newFileOf), at: now().toISOString(), awaited, isStored });
    };
    await keepContents();
    signal?.throwIfAborted();
    await keepThumbnailsIf(ready, thumbnailFolderOf(settings.folder), () =>
      add().catch(async (error: unknown) => {
        if (!(error instanceof ContentSweptError)) throw error;
        // What is stored now is new, and so no leftover to anybody. What this command had stored itself is not here any more.
        await keepContents().catch(() => {
          throw error;
        });
        await add();
      }),
    );
    return added;
  } finally {
    await intake.close();
  }
}

export async function expectFile(
  { caseId, label }: { caseId: string; label: string },
  context: { store: Pick<Store, 'expectFile'>; thumbnailBaseUrl: string; now: () => Date },
): Promise<ExpectedFile> {
  const { store, thumbnailBaseUrl, now } = context;
  const at = now().toISOString();
  const file = {
    file_id: randomUUID(),
    label,
    uploaded_at: at,
    thumbnail_url: thumbnailBaseUrl + thumbnailsPath + newThumbnailName(),
    mime_type: unknownMediaType,
  };
  await store.expectFile({ caseId, file, at });
  return file;
}

type LabelledFile = SourceFile & { readonly taken: TakenFile; readonly takenAt: string };

async function takeAll(intake: Intake, files: readonly SourceFile[], context: FileAdditionContext) {
  const { now, signal } = context;
  const all: LabelledFile[] = [];
  const refusals: { path: string; reason: unknown }[] = [];
  for (const file of files)
    try {
      all.push({ ...file, taken: await intake.take(file.path), takenAt: now().toISOString() });
    } catch (reason) {
      signal?.throwIfAborted();
      if (reason instanceof ContentFolderError) throw reason;
      refusals.push({ path: file.path, reason });
    }
  if (refusals.length > 0) throw new RefusedFilesError(refusals);
  return all;
}

async function withThumbnail(intake: Intake, { label, taken, takenAt }: LabelledFile, context: FileAdditionContext) {
  const { settings, signal } = context;
  const { webp, generic } = await makeThumbnail(taken.path, taken.mediaType, { signal });
  const name = newThumbnailName();
  const added: AddedFile = {
    file_id: randomUUID(),
    label,
    uploaded_at: takenAt,
    thumbnail_url: settings.thumbnailBaseUrl + thumbnailsPath + name,
    mime_type: taken.mediaType,
    content_sha256: taken.sha256,
    bytes: taken.bytes,
    generic_thumbnail: generic,
  };
  return { taken, added, thumbnail: { name, path: await intake.write(name, webp) } };
}

const thumbnailBounds: Bounds = { milliseconds: 20_000, processorSeconds: 20, mebibytes: 768 };
/** The generic picture does not depend on the file: only a busy machine takes long. */
const genericBounds: Bounds = { ...thumbnailBounds, milliseconds: 60_000 };

/**
 * A picture in WebP of a file's content, at most 256 pixels wide and high, or only of its media type if the file is broken, hostile or exceeds the bounds.
 * @throws {Error} if nothing can be drawn at all; the signal's reason if it is aborted
 */
export async function makeThumbnail(
  path: string,
  mediaType: MediaType,
  { signal, bounds = thumbnailBounds }: { signal?: AbortSignal | undefined; bounds?: Bounds } = {},
) {
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

/** Puts thumbnails in their places for a change, and removes them if it fails. */
async function keepThumbnailsIf(ready: ReadyFile[], folder: string, change: () => Promise<void>): Promise<void> {
  try {
    for (const { thumbnail } of ready) await moveFile(thumbnail.path, join(folder, thumbnail.name));
    await change();
  } catch (error) {
    const mayBeMade = error instanceof StoreUnavailableError && error.outcomeUnknown;
    if (!mayBeMade) for (const { thumbnail } of ready) await rm(join(folder, thumbnail.name), { force: true });
    throw error;
  }
}

const newFileOf = ({ bytes: _bytes, generic_thumbnail: _generic, ...file }: AddedFile): NewFile => file;
