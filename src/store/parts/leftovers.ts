import { all, first, run } from '../statements.ts';
import type { LeftoverStore } from '../store.ts';
import type { Part } from './dialect.ts';

/** The number of thumbnails per page. */
const thumbnailsOfPage = 5000;

export function leftoverStore({ db, read, write, lockContents }: Part): LeftoverStore {
  const contents = db.selectFrom('analysis').select('content_sha256').distinct();
  return {
    readLastUpload: () =>
      read(function* () {
        const last = db.selectFrom('analysis').select(({ fn }) => fn.max('uploaded_at').as('last'));
        return (yield* first(last))?.last ?? undefined;
      }),

    listContents: (firstByte) =>
      read(function* () {
        const [from, to] = rangeOf(firstByte);
        const inRange = contents.where('content_sha256', '>=', from).where('content_sha256', '<', to);
        return (yield* all(inRange.orderBy('content_sha256'))).map((row) => row.content_sha256);
      }),

    listThumbnails: (afterFile) =>
      read(() =>
        all(
          db
            .selectFrom('case_file')
            .select(['file_id', 'thumbnail_url'])
            .where('file_id', '>', afterFile)
            .orderBy('file_id')
            .limit(thumbnailsOfPage),
        ),
      ),

    removeUnnamed: (sha256s, remove) =>
      write(function* () {
        for (const lock of lockContents('exclusive')) yield* run(lock);
        for (const sha256 of sha256s)
          if (!(yield* first(contents.where('content_sha256', '=', sha256)))) remove(sha256);
      }),
  };
}

/** The range of SHA-256 values that begin with a byte; the upper bound is exclusive. */
function rangeOf(firstByte: number): [from: Uint8Array, to: Uint8Array] {
  // 33 bytes of 255 sort after every SHA-256.
  const to = firstByte < 255 ? Buffer.alloc(32, 0).fill(firstByte + 1, 0, 1) : Buffer.alloc(33, 255);
  return [Buffer.alloc(32, 0).fill(firstByte, 0, 1), to];
}
