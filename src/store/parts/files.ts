import type { FileSummary } from '../../domain/case.ts';
import type { Part } from './dialect.ts';
import { ConflictError, ContentSweptError, NotAwaitedError } from '../errors.ts';
import { all, count, first, required, run, type Statements } from '../statements.ts';
import { insertPlaced, type Placed } from './cases.ts';

/** A file with stored content, to be added to a case. */
export type NewFile = Pick<FileSummary, 'file_id' | 'label' | 'uploaded_at' | 'thumbnail_url' | 'mime_type'> & {
  /** 32 bytes. */
  content_sha256: Uint8Array;
};

/** A file that waits for its upload: `uploaded_at` is when it was announced, and the media type is not known yet. */
export type ExpectedFile = Omit<NewFile, 'content_sha256'>;

export interface FilesToAdd {
  readonly caseId: string;
  readonly files: readonly NewFile[];
  readonly at: string;
  /** Whether they replace files of the case that wait for their upload. */
  readonly awaited?: boolean;
  /** Whether content is stored. Called when leftovers can no longer be removed. */
  readonly isStored?: ((sha256: Uint8Array) => boolean) | undefined;
}

export function fileStore(part: Part) {
  const { db, reads, writes, lockContents } = part;

  /** Updates the time of a case. The row lock serialises this with locking the case and with other additions to it. */
  function* touch(caseId: string, at: string): Statements<string> {
    const update = db.updateTable('case_record').set({ updated_at: at }).where('case_id', '=', caseId);
    const updated = yield* required(update.returning(['organisation_id', 'locked_at']), 'case', caseId);
    refuseLocked(updated, caseId);
    return updated.organisation_id;
  }

  return {
    ...reads({
      /**
       * Checks whether `addFiles` would currently accept files for a case.
       * @throws {NotFoundError} if no organisation has such a case; {ConflictError} if it is locked
       */
      *requireUnlockedCase(caseId: string) {
        const found = db.selectFrom('case_record').select('locked_at').where('case_id', '=', caseId);
        refuseLocked(yield* required(found, 'case', caseId), caseId);
      },
    }),

    ...writes({
      /** Adds a file that is `waiting_for_upload`. @throws as above, and {ConflictError} if the identifier is taken */
      *expectFile({ caseId, file, at }: { caseId: string; file: ExpectedFile; at: string }) {
        yield* touch(caseId, at);
        const placed = placedFile(file, caseId, 'waiting_for_upload', 'file_id');
        yield* insertPlaced(part, 'case_file', [placed]);
      },

      /**
       * Adds files to a case, all or none, as `waiting_for_analysis`. Those that are `awaited` keep their labels.
       * @throws as above, with the `place` of a taken identifier, as in `[2].file_id`; {NotAwaitedError} if one is not
       *   awaited; {ContentSweptError} if content is no longer stored
       */
      *addFiles({ caseId, files, at, awaited, isStored }: FilesToAdd) {
        if (isStored) {
          yield* lockContents('shared');
          if (!files.every((file) => isStored(file.content_sha256))) throw new ContentSweptError();
        }
        const organisation_id = yield* touch(caseId, at);
        const analysis_status = 'waiting_for_analysis';
        if (awaited)
          for (const { file_id: fileId, uploaded_at, thumbnail_url, mime_type } of files) {
            const ofCase = db.updateTable('case_file').where('file_id', '=', fileId).where('case_id', '=', caseId);
            const expected = ofCase.where('analysis_status', '=', 'waiting_for_upload');
            const filled = expected.set({ uploaded_at, thumbnail_url, mime_type, analysis_status });
            if ((yield* count(filled)) === 0) throw new NotAwaitedError(fileId);
          }
        else {
          const placed = files.map((file, index) => placedFile(file, caseId, analysis_status, `[${index}].file_id`));
          yield* insertPlaced(part, 'case_file', placed);
        }
        for (const { file_id, uploaded_at, content_sha256 } of files)
          yield* run(db.insertInto('analysis').values({ file_id, organisation_id, uploaded_at, content_sha256 }));
      },
    }),
  };
}

function placedFile(file: ExpectedFile, caseId: string, status: string, place: string): Placed {
  const { file_id: id, label, uploaded_at, thumbnail_url, mime_type } = file;
  const row = { case_id: caseId, file_id: id, label, uploaded_at, thumbnail_url, mime_type, analysis_status: status };
  return { place, id, row };
}

function refuseLocked({ locked_at }: { locked_at: string | null }, caseId: string): void {
  if (locked_at !== null) throw new ConflictError(`The case ${caseId} is locked.`);
}

const thumbnailsOfPage = 5000;

/** For the removal of leftovers. */
export type LeftoverStore = ReturnType<typeof leftoverStore>;

export function leftoverStore({ db, reads, writes, lockContents }: Part) {
  const contents = db.selectFrom('analysis').select('content_sha256').distinct();
  return {
    ...reads({
      *readLastUpload() {
        const last = db.selectFrom('analysis').select(({ fn }) => fn.max('uploaded_at').as('last'));
        return (yield* first(last))?.last ?? undefined;
      },

      /** The SHA-256 of the content of files, in order, where it begins with this byte. */
      *listContents(firstByte: number) {
        const bound = (others: number) => Buffer.alloc(32, others).fill(firstByte, 0, 1);
        const inRange = contents.where('content_sha256', '>=', bound(0)).where('content_sha256', '<=', bound(255));
        return (yield* all(inRange.orderBy('content_sha256'))).map((row) => row.content_sha256);
      },

      /** A page of thumbnail URLs, in the order of file identifiers; empty at the end. */
      listThumbnails: (afterFile: string) => {
        const thumbnails = db.selectFrom('case_file').select(['file_id', 'thumbnail_url']).orderBy('file_id');
        return all(thumbnails.where('file_id', '>', afterFile).limit(thumbnailsOfPage));
      },
    }),

    ...writes({
      /** Calls `remove` for each of these contents that belongs to no file. Until it returns, no process can add a file. */
      *removeUnnamed(sha256s: readonly Uint8Array[], remove: (sha256: Uint8Array) => void) {
        yield* lockContents('exclusive');
        for (const sha256 of sha256s)
          if (!(yield* first(contents.where('content_sha256', '=', sha256)))) remove(sha256);
      },
    }),
  };
}
