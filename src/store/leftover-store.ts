/** What the removal of leftovers needs of the store: the content and the thumbnails of its files. */
export interface LeftoverStore {
  /** The time of the last upload; undefined if no file has content. */
  readLastUpload(): Promise<string | undefined>;
  /** The SHA-256 of each content that a file has and that begins with this byte, in their order. */
  listContents(firstByte: number): Promise<Uint8Array[]>;
  /** The addresses of the thumbnails of files in the order of their identifiers, a page of them; none at the end. */
  listThumbnails(afterFile: string): Promise<FileThumbnail[]>;
  /** Calls `remove` for each of these contents that no file has. Until it returns, no process can add a file. */
  removeUnnamed(sha256s: readonly Uint8Array[], remove: (sha256: Uint8Array) => void): Promise<void>;
}

/** A file, and the address of its thumbnail. */
export interface FileThumbnail {
  file_id: string;
  thumbnail_url: string;
}

/** How many thumbnails a page has. */
export const thumbnailsOfPage = 5000;

/** The range of the SHA-256 that begin with a byte; the upper bound is excluded. */
export function rangeOf(firstByte: number): [from: Uint8Array, to: Uint8Array] {
  // 33 bytes of 255 come after every SHA-256.
  const to = firstByte < 255 ? Buffer.alloc(32, 0).fill(firstByte + 1, 0, 1) : Buffer.alloc(33, 255);
  return [Buffer.alloc(32, 0).fill(firstByte, 0, 1), to];
}
