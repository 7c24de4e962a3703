import { ConflictError, ContentSweptError, NotAwaitedError, NotFoundError } from '../errors.ts';
import { orConflict } from './cases.ts';
import type { Connection } from './connection.ts';
import type { StorePart } from './store-part.ts';

export function fileStore(connection: Connection): StorePart<'requireUnlockedCase' | 'expectFile' | 'addFiles'> {
  const findLock = connection.prepare<[string], { locked_at: string | null }>(
    'SELECT locked_at FROM case_record WHERE case_id = ?',
  );
  const touch = connection
    .prepare<[string, string], string>(
      'UPDATE case_record SET updated_at = ? WHERE case_id = ? RETURNING organisation_id',
    )
    .pluck();
  const insertFile = connection.prepare(`
    INSERT INTO case_file
      (case_id, file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at)
    VALUES (@case_id, @file_id, @label, @uploaded_at, @thumbnail_url, @mime_type, @analysis_status, NULL)`);
  const fillIn = connection.prepare(`
    UPDATE case_file SET uploaded_at = @uploaded_at, thumbnail_url = @thumbnail_url, mime_type = @mime_type,
      analysis_status = @analysis_status
    WHERE file_id = @file_id AND case_id = @case_id AND analysis_status = 'waiting_for_upload'`);
  const insertAnalysis = connection.prepare(`
    INSERT INTO analysis (file_id, organisation_id, uploaded_at, content_sha256)
    VALUES (@file_id, @organisation_id, @uploaded_at, @content_sha256)`);

  const requireUnlocked = (caseId: string): void => {
    const found = findLock.get(caseId);
    if (!found) throw new NotFoundError('case', caseId);
    if (found.locked_at !== null) throw new ConflictError(`The case ${caseId} is locked.`);
  };

  return ({ read, write }) => ({
    requireUnlockedCase: (caseId) =>
      read(() => {
        requireUnlocked(caseId);
      }),

    expectFile: ({ caseId, file, at }) =>
      write(() => {
        requireUnlocked(caseId);
        touch.get(at, caseId);
        orConflict('file_id', file.file_id, () =>
          insertFile.run({ ...file, case_id: caseId, analysis_status: 'waiting_for_upload' }),
        );
      }),

    addFiles: ({ caseId, files, at, awaited, isStored }) =>
      write(() => {
        if (isStored && !files.every((file) => isStored(file.content_sha256))) throw new ContentSweptError();
        requireUnlocked(caseId);
        const organisationId = touch.get(at, caseId);
        files.forEach((file, index) => {
          const row = {
            ...file,
            case_id: caseId,
            organisation_id: organisationId,
            analysis_status: 'waiting_for_analysis',
          };
          if (!awaited) orConflict(`[${index}].file_id`, file.file_id, () => insertFile.run(row));
          else if (fillIn.run(row).changes === 0) throw new NotAwaitedError(file.file_id);
          insertAnalysis.run(row);
        });
      }),
  });
}
