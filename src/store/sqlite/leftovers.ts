import { type FileThumbnail, type LeftoverStore, rangeOf, thumbnailsOfPage } from '../leftover-store.ts';
import type { Connection } from './connection.ts';

export function leftoverStore(connection: Connection): LeftoverStore {
  const findLast = connection.prepare<[], string | null>('SELECT max(uploaded_at) FROM analysis').pluck();
  const listContents = connection
    .prepare<[Uint8Array, Uint8Array], Uint8Array>(
      `SELECT DISTINCT content_sha256 FROM analysis WHERE content_sha256 >= ? AND content_sha256 < ?
      ORDER BY content_sha256`,
    )
    .pluck();
  const listThumbnails = connection.prepare<[string], FileThumbnail>(
    `SELECT file_id, thumbnail_url FROM case_file WHERE file_id > ? ORDER BY file_id LIMIT ${thumbnailsOfPage}`,
  );
  const isNamed = connection.prepare('SELECT 1 FROM analysis WHERE content_sha256 = ?');

  return {
    readLastUpload: () => connection.read(() => findLast.get() ?? undefined),
    listContents: (firstByte) => connection.read(() => listContents.all(...rangeOf(firstByte))),
    listThumbnails: (afterFile) => connection.read(() => listThumbnails.all(afterFile)),
    // Adding files waits for the write lock.
    removeUnnamed: (sha256s, remove) =>
      connection.write(() => {
        for (const sha256 of sha256s) if (isNamed.get(sha256) === undefined) remove(sha256);
      }),
  };
}
