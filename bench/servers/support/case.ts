/** A case as the peers read it from the store and send it, written by hand. */

interface File {
  readonly file_id: string;
  readonly label: string;
  readonly uploaded_at: string;
  readonly thumbnail_url: string;
  readonly mime_type: string;
  readonly analysis_status: string;
  readonly analysis_completed_at: string | null;
}

export interface StoredCase {
  readonly case_id: string;
  readonly label: string | null;
  readonly metadata: Record<string, unknown>;
  readonly locked_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly files: readonly File[];
}

/** The whole case: the stored fields, and the derived ones. */
export function describeCase({ files, ...stored }: StoredCase): object {
  let complete = files.length > 0;
  let last: string | null = null;
  for (const { analysis_status: status, analysis_completed_at: time } of files) {
    if (status !== 'analysis_complete' && status !== 'analysis_failed') complete = false;
    if (time !== null && (last === null || time > last)) last = time;
  }
  return {
    case_id: stored.case_id,
    label: stored.label,
    metadata: stored.metadata,
    is_locked: stored.locked_at !== null,
    locked_at: stored.locked_at,
    file_analysis_status: complete ? 'file_analysis_complete' : 'waiting_for_file_analysis',
    file_analysis_completed_at: complete ? last : null,
    created_at: stored.created_at,
    updated_at: stored.updated_at,
    files,
    total_files: files.length,
  };
}
