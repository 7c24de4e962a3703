/** What the removal of leftovers asks of the store: which content and which thumbnails the files have that it names. */
export interface LeftoverStore {
  /** When the file was uploaded that was uploaded last; undefined if there is none that has content. */
  readLastUpload(): Promise<string | undefined>;
  /** The SHA-256 of each content that a file has and that begins with this byte, in their order. */
  listContents(firstByte: number): Promise<Uint8Array[]>;
  /** The addresses of the thumbnails of files in the order of their identifiers, a page of them; none at the end. */
  listThumbnails(afterFile: string): Promise<FileThumbnail[]>;
  /** Has those contents removed that no file has. No file is added meanwhile, in no process. */
  removeUnnamed(sha256s: readonly Uint8Array[], remove: (sha256: Uint8Array) => void): Promise<void>;
}

/** A file, and the address of its thumbnail. */
export interface FileThumbnail {
  file_id: string;
  thumbnail_url: string;
}

/** How many thumbnails a page has. */
export const thumbnailsOfPage = 5000;

/** Between which values all SHA-256 lie that begin with a byte; the upper one is excluded. */
export function rangeOf(firstByte: number): [from: Uint8Array, to: Uint8Array] {
  // Longer than any SHA-256, the last one is behind all that begin with 255.
  const to = firstByte < 255 ? Buffer.alloc(32, 0).fill(firstByte + 1, 0, 1) : Buffer.alloc(33, 255);
  return [Buffer.alloc(32, 0).fill(firstByte, 0, 1), to];
}
