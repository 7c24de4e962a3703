import { type LeftoverStore, rangeOf, thumbnailsOfPage } from '../leftover-store.ts';
import { all, first, run } from '../statements.ts';
import type { Part } from './dialect.ts';

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
