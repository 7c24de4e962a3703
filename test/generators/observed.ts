/** Where and as whom a generated client calls. */
export interface CallTarget {
  readonly base_url: string;
  readonly case_base_url: string;
  readonly owner_key: string;
  readonly access_token: string;
  readonly case_id: string;
}

/** What a generated client saw of the server, in the words of the document. */
export interface Observed {
  /** The setting after it was saved as `false`, then as `true`, then as it was read. */
  readonly enabled: readonly [boolean, boolean, boolean];
  readonly case: {
    readonly case_id: string;
    readonly label: string | null;
    readonly locked_at: string | null;
    readonly file_analysis_status: 'waiting_for_file_analysis' | 'file_analysis_complete';
    readonly total_files: number;
  };
  readonly files: readonly {
    readonly file_id: string;
    readonly analysis_status: string;
    readonly analysis_completed_at: string | null;
  }[];
  /** The status and the error code of a case that does not exist. */
  readonly unknownCase: readonly [number, string];
  /** The status and the error code of a call with a key that does not exist. */
  readonly unknownKey: readonly [number, string];
}

/** An identifier of no case. */
export const unknownCaseId = '00000000-0000-4000-8000-000000000000';

/** A key of no organisation. */
export const unknownKey = 'unknown';
