import type { ExpectedFile } from '../analysis-store.ts';
import { ConflictError, ContentSweptError, NotAwaitedError, NotFoundError } from '../errors.ts';
import { count, first, run, type Statements } from '../statements.ts';
import type { Store } from '../store.ts';
import { insertPlaced, type Placed } from './cases.ts';
import type { Part } from './dialect.ts';

interface Locking {
  organisation_id: string;
  locked_at: string | null;
}

export function fileStore(part: Part): Pick<Store, 'requireUnlockedCase' | 'expectFile' | 'addFiles'> {
  const { db, read, write, lockContents } = part;

  /** Updates the time of a case. The row lock serialises this with locking the case and with other additions to it. */
  function* touch(caseId: string, at: string): Statements<string> {
    const update = db.updateTable('case_record').set({ updated_at: at }).where('case_id', '=', caseId);
    return unlocked(yield* first(update.returning(['organisation_id', 'locked_at'])), caseId).organisation_id;
  }

  return {
    requireUnlockedCase: (caseId) =>
      read(function* () {
        const cases = db.selectFrom('case_record').select(['organisation_id', 'locked_at']);
        unlocked(yield* first(cases.where('case_id', '=', caseId)), caseId);
      }),

    expectFile: ({ caseId, file, at }) =>
      write(function* () {
        yield* touch(caseId, at);
        const placed = placedFile(file, caseId, 'waiting_for_upload', 'file_id');
        yield* insertPlaced(part, 'case_file', 'file_id', [placed]);
      }),

    addFiles: ({ caseId, files, at, awaited, isStored }) =>
      write(function* () {
        if (isStored) {
          for (const lock of lockContents('shared')) yield* run(lock);
          if (!files.every((file) => isStored(file.content_sha256))) throw new ContentSweptError();
        }
        const organisation_id = yield* touch(caseId, at);
        const analysis_status = 'waiting_for_analysis';
        if (awaited)
          for (const { file_id: fileId, uploaded_at, thumbnail_url, mime_type } of files) {
            const expected = db
              .updateTable('case_file')
              .where('file_id', '=', fileId)
              .where('case_id', '=', caseId)
              .where('analysis_status', '=', 'waiting_for_upload');
            const filled = expected.set({ uploaded_at, thumbnail_url, mime_type, analysis_status });
            if ((yield* count(filled)) === 0) throw new NotAwaitedError(fileId);
          }
        else {
          const placed = files.map((file, index) => placedFile(file, caseId, analysis_status, `[${index}].file_id`));
          yield* insertPlaced(part, 'case_file', 'file_id', placed);
        }
        for (const { file_id, uploaded_at, content_sha256 } of files)
          yield* run(db.insertInto('analysis').values({ file_id, organisation_id, uploaded_at, content_sha256 }));
      }),
  };
}

function placedFile(file: ExpectedFile, caseId: string, status: string, place: string): Placed {
  const { file_id: id, label, uploaded_at, thumbnail_url, mime_type } = file;
  const row = { case_id: caseId, file_id: id, label, uploaded_at, thumbnail_url, mime_type, analysis_status: status };
  return { place, id, row };
}

/** @throws {NotFoundError} or {ConflictError} if files cannot be added to the case */
function unlocked(found: Locking | undefined, caseId: string): Locking {
  if (!found) throw new NotFoundError('case', caseId);
  if (found.locked_at !== null) throw new ConflictError(`The case ${caseId} is locked.`);
  return found;
}
