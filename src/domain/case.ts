import type { components } from '../../generated/types.ts';

/** A case as the API sends it (interface document, section 2.3). */
export type Case = components['schemas']['Case'];

/** A file of a case as the API sends it (interface document, section 2.4). */
export type FileSummary = components['schemas']['FileSummary'];

/** The stored fields of a case; the rest of a response is derived from them and from the files. */
export type StoredCase = Pick<
  Case,
  'case_id' | 'label' | 'metadata' | 'locked_at' | 'created_at' | 'updated_at' | 'files'
>;

export type CaseRecord = Omit<StoredCase, 'files'>;

/** A case to import. Its files may be iterated lazily, and again if the transaction is retried. */
export type CaseToImport = CaseRecord & { readonly files: Iterable<FileSummary> };

export type CaseOverview = Pick<Case, 'case_id' | 'label' | 'locked_at' | 'created_at' | 'total_files'> & {
  organisation_id: string;
};

/**
 * The file states that an import may give. An imported file has no stored content, so nobody would ever end its analysis.
 */
export const importableStatuses = ['waiting_for_upload', 'analysis_complete', 'analysis_failed'] as const;

/** The media type of a file without content (RFC 2046, section 4.5.1). */
export const unknownMediaType = 'application/octet-stream';

export const endedStatuses: readonly string[] = ['analysis_complete', 'analysis_failed'];

export function hasEnded(file: Pick<FileSummary, 'analysis_status'>): boolean {
  return endedStatuses.includes(file.analysis_status);
}

/** A summary of some or all files of a case, from which the status of the case is derived. */
export interface FilesOverview {
  readonly total_files: number;
  /** The number of files in a state that ends an analysis. */
  readonly ended_files: number;
  /** When the last analysis ended; null if none has. */
  readonly last_completed_at: string | null;
}

export const noFiles: FilesOverview = { total_files: 0, ended_files: 0, last_completed_at: null };

export function withFile(overview: FilesOverview, file: FileSummary): FilesOverview {
  const ended_files = Number(hasEnded(file));
  return withFiles(overview, { total_files: 1, ended_files, last_completed_at: file.analysis_completed_at });
}

export function withFiles(overview: FilesOverview, { last_completed_at: last, ...more }: FilesOverview): FilesOverview {
  const known = overview.last_completed_at;
  return {
    total_files: overview.total_files + more.total_files,
    ended_files: overview.ended_files + more.ended_files,
    last_completed_at: known === null || (last !== null && last > known) ? last : known,
  };
}

/** The whole case: its stored and its derived fields (decisions D8, D28 and D29), in the order of the document. */
export function describeCase({ files, ...record }: StoredCase): Case {
  const overview = files.reduce(withFile, noFiles);
  return { ...describe(record, overview), files, total_files: overview.total_files };
}

export function describeCaseWithout(record: CaseRecord, files: FilesOverview): Omit<Case, 'files'> {
  return { ...describe(record, files), total_files: files.total_files };
}

/** The JSON text of a whole case in two halves; the JSON texts of its files, separated by commas, go between them. */
export function caseText(record: CaseRecord, files: FilesOverview): { before: string; after: string } {
  return {
    before: `${JSON.stringify(describe(record, files)).slice(0, -1)},"files":[`,
    after: `],"total_files":${files.total_files}}`,
  };
}

function describe(record: CaseRecord, files: FilesOverview): Omit<Case, 'files' | 'total_files'> {
  const isComplete = files.total_files > 0 && files.ended_files === files.total_files;
  return {
    case_id: record.case_id,
    label: record.label,
    metadata: record.metadata,
    is_locked: record.locked_at !== null,
    locked_at: record.locked_at,
    file_analysis_status: isComplete ? 'file_analysis_complete' : 'waiting_for_file_analysis',
    file_analysis_completed_at: isComplete ? files.last_completed_at : null,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}
