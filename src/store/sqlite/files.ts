import { ConflictError, NotFoundError } from '../errors.js';
import type { Store } from '../store.js';
import { orConflict } from './cases.js';
import type { Connection } from './connection.js';

export function fileStore(connection: Connection): Pick<Store, 'addFiles'> {
  const caseExists = connection.prepare('SELECT 1 FROM case_record WHERE case_id = ?');
  const touchUnlocked = connection
    .prepare<[string, string], string>(
      'UPDATE case_record SET updated_at = ? WHERE case_id = ? AND locked_at IS NULL RETURNING organisation_id',
    )
    .pluck();
  const insertFile = connection.prepare(`
    INSERT INTO case_file
      (case_id, file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at)
    VALUES (@case_id, @file_id, @label, @uploaded_at, @thumbnail_url, @mime_type, 'waiting_for_analysis', NULL)`);
  const insertAnalysis = connection.prepare(`
    INSERT INTO analysis (file_id, organisation_id, uploaded_at, content_sha256)
    VALUES (@file_id, @organisation_id, @uploaded_at, @content_sha256)`);

  return {
    addFiles: ({ caseId, files, at }) =>
      connection.write(() => {
        const organisationId = touchUnlocked.get(at, caseId);
        if (organisationId === undefined) {
          if (caseExists.get(caseId)) throw new ConflictError(`The case ${caseId} is locked.`);
          throw new NotFoundError('case', caseId);
        }
        files.forEach((file, index) => {
          const row = { ...file, case_id: caseId, organisation_id: organisationId };
          orConflict(`[${index}].file_id`, file.file_id, () => insertFile.run(row));
          insertAnalysis.run(row);
        });
      }),
  };
}
