// @ts-nocheck
import type { components } from '../../generated/types.js';

/** A case as the API answers it (interface document, section 2.3). */
export type Case = components['schemas']['Case'];

/** A file of a case as the API answers it (interface document, section 2.4). */
export type FileSummary = components['schemas']['FileSummary'];

/** The facts held of a case; all else in an answer follows from them and from the files. */
export type StoredCase = Pick<
  Case,
  'case_id' | 'label' | 'metadata' | 'locked_at' | 'created_at' | 'updated_at' | 'files'
>;

/** A case in a list: enough to tell it from the others, without its files. */
export type CaseOverview = Pick<Case, 'case_id' | 'label' | 'locked_at' | 'created_at' | 'total_files'> & {
  organisation_id: string;
};

/** The file states that this implementation gives; the last two end an analysis (decision D6). */
export const analysisStatuses = [
  'waiting_for_upload',
  'waiting_for_analysis',
  'analysing',
  'analysis_complete',
  'analysis_failed',
] as const;

const endedStatuses: readonly string[] = ['analysis_complete', 'analysis_failed'];

/** Whether a file's analysis has ended, well or not. */
export function hasEnded(file: Pick<FileSummary, 'analysis_status'>): boolean {
  return endedStatuses.includes(file.analysis_status);
}

/** The whole case: its stored facts and what follows from them (decisions D8, D28 and D29). */
export function describeCase(stored: StoredCase): Case {
  const { files } = stored;
  const complete = files.length > 0 && files.every(hasEnded);
  return {
    case_id: stored.case_id,
    label: stored.label,
    metadata: stored.metadata,
    is_locked: stored.locked_at !== null,
    locked_at: stored.locked_at,
    file_analysis_status: complete ? 'file_analysis_complete' : 'waiting_for_file_analysis',
    file_analysis_completed_at: complete ? lastCompletion(files) : null,
    created_at: stored.created_at,
    updated_at: stored.updated_at,
    files,
    total_files: files.length,
  };
}

function lastCompletion(files: FileSummary[]): string | null {
  let last: string | null = null;
  for (const { analysis_completed_at: time } of files) if (time !== null && (last === null || time > last)) last = time;
  return last;
}
