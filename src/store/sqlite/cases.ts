import type { CaseOverview, CaseToImport, FileSummary, StoredCase } from '../../domain/case.ts';
import { ConflictError, NotFoundError } from '../errors.ts';
import { type Connection, isUniqueViolation } from './connection.ts';
import type { StorePart } from './store-part.ts';

type CaseRow = Omit<StoredCase, 'metadata' | 'files'> & { metadata: string };

export function caseStore(
  connection: Connection,
): StorePart<'findCase' | 'importCases' | 'findOwnerOfCase' | 'lockCase' | 'unlockCase' | 'listCases'> {
  const findRecord = connection.prepare<[string, string], CaseRow>(`
    SELECT case_id, label, metadata, locked_at, created_at, updated_at
    FROM case_record WHERE case_id = ? AND organisation_id = ?`);
  const findFiles = connection.prepare<[string], FileSummary>(`
    SELECT file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at
    FROM case_file WHERE case_id = ? ORDER BY uploaded_at, file_id`);
  const findOwner = connection
    .prepare<[string], string>('SELECT organisation_id FROM case_record WHERE case_id = ?')
    .pluck();
  const organisationExists = connection.prepare('SELECT 1 FROM organisation WHERE organisation_id = ?');
  const insertRecord = connection.prepare(`
    INSERT INTO case_record (case_id, organisation_id, label, metadata, locked_at, created_at, updated_at)
    VALUES (@case_id, @organisation_id, @label, @metadata, @locked_at, @created_at, @updated_at)`);
  // Imported rows are spread over the indexes: a small cache would write most pages several times.
  const enlargeCache = connection.prepare('PRAGMA cache_size = -32000');
  const restoreCache = connection.prepare('PRAGMA cache_size = -16000');
  const insertFile = connection.prepare(`
    INSERT INTO case_file
      (case_id, file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at)
    VALUES
      (@case_id, @file_id, @label, @uploaded_at, @thumbnail_url, @mime_type, @analysis_status, @analysis_completed_at)`);
  const lock = connection.prepare(
    'UPDATE case_record SET locked_at = @at, updated_at = @at WHERE case_id = @caseId AND locked_at IS NULL',
  );
  const unlock = connection.prepare(
    'UPDATE case_record SET locked_at = NULL, updated_at = @at WHERE case_id = @caseId AND locked_at IS NOT NULL',
  );

  const list = connection.prepare<{ organisationId: string | null; limit: number }, CaseOverview>(`
    SELECT case_id, organisation_id, label, locked_at, created_at,
      (SELECT count(*) FROM case_file f WHERE f.case_id = c.case_id) AS total_files
    FROM case_record c
    WHERE @organisationId IS NULL OR organisation_id = @organisationId
    ORDER BY created_at DESC, case_id LIMIT @limit`);

  const ownerOf = (caseId: string): string => {
    const owner = findOwner.get(caseId);
    if (owner === undefined) throw new NotFoundError('case', caseId);
    return owner;
  };

  const insertCases = (organisationId: string, cases: Iterable<CaseToImport>, onFile?: (added: number) => void) => {
    let added = 0;
    let caseIndex = 0;
    for (const { files, ...record } of cases) {
      const metadata = JSON.stringify(record.metadata);
      orConflict(`[${caseIndex}].case_id`, record.case_id, () =>
        insertRecord.run({ ...record, organisation_id: organisationId, metadata }),
      );
      let fileIndex = 0;
      for (const file of files) {
        orConflict(`[${caseIndex}].files[${fileIndex}].file_id`, file.file_id, () =>
          insertFile.run({ ...file, case_id: record.case_id }),
        );
        onFile?.((added += 1));
        fileIndex += 1;
      }
      caseIndex += 1;
    }
  };

  return ({ read, write }) => ({
    findCase: (organisationId, caseId) =>
      read(() => {
        const record = findRecord.get(caseId, organisationId);
        if (!record) return undefined;
        const metadata = JSON.parse(record.metadata) as StoredCase['metadata'];
        return { ...record, metadata, files: findFiles.all(caseId) };
      }),

    importCases: (organisationId, cases, onFile) =>
      write(() => {
        if (!organisationExists.get(organisationId)) throw new NotFoundError('organisation', organisationId);
        enlargeCache.run();
        try {
          insertCases(organisationId, cases, onFile);
        } finally {
          restoreCache.run();
        }
      }),

    findOwnerOfCase: (caseId) => read(() => ownerOf(caseId)),

    lockCase: (caseId, at) =>
      write(() => {
        ownerOf(caseId);
        if (lock.run({ caseId, at }).changes === 0) throw new ConflictError(`The case ${caseId} is already locked.`);
      }),

    unlockCase: (caseId, at) =>
      write(() => {
        ownerOf(caseId);
        unlock.run({ caseId, at });
      }),

    listCases: ({ organisationId, limit }) => read(() => list.all({ organisationId: organisationId ?? null, limit })),
  });
}

/** Runs an insertion. @throws {ConflictError} naming the place if the identifier is taken */
export function orConflict(place: string, id: string, insert: () => void): void {
  try {
    insert();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ConflictError(`The identifier ${id} is taken.`, place);
    throw error;
  }
}
