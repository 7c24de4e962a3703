/** The store's methods for the removal of leftovers: they list the content and the thumbnails of files. */
export interface LeftoverStore {
  /** The time of the last upload; undefined if no file has content. */
  readLastUpload(): Promise<string | undefined>;
  /** The SHA-256 of the content of files, in order, where it begins with this byte. */
  listContents(firstByte: number): Promise<Uint8Array[]>;
  /** A page of thumbnail URLs, in the order of file identifiers; empty at the end. */
  listThumbnails(afterFile: string): Promise<FileThumbnail[]>;
  /** Calls `remove` for each of these contents that belongs to no file. Until it returns, no process can add a file. */
  removeUnnamed(sha256s: readonly Uint8Array[], remove: (sha256: Uint8Array) => void): Promise<void>;
}

/** A file and its thumbnail URL. */
export interface FileThumbnail {
  file_id: string;
  thumbnail_url: string;
}

/** The number of thumbnails per page. */
export const thumbnailsOfPage = 5000;

/** The range of SHA-256 values that begin with a byte; the upper bound is exclusive. */
export function rangeOf(firstByte: number): [from: Uint8Array, to: Uint8Array] {
  // 33 bytes of 255 sort after every SHA-256.
  const to = firstByte < 255 ? Buffer.alloc(32, 0).fill(firstByte + 1, 0, 1) : Buffer.alloc(33, 255);
  return [Buffer.alloc(32, 0).fill(firstByte, 0, 1), to];
}
