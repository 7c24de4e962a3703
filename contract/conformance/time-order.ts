/** The times of a case and of its files; null for events that have not happened. */
export interface CaseTimes {
  readonly created_at: string;
  readonly updated_at: string;
  readonly locked_at: string | null;
  readonly files: readonly { readonly uploaded_at: string; readonly analysis_completed_at: string | null }[];
}

/** The pairs of times of a case that are in the wrong order (decision D180). */
export function timeOrderViolations({ files, ...times }: CaseTimes): string[] {
  const { created_at: created, updated_at: updated, locked_at: locked } = times;
  const inOrder = (earlier: string | null, later: string | null) =>
    earlier === null || later === null || Date.parse(earlier) <= Date.parse(later);
  const faults: [holds: boolean, message: string][] = [
    [inOrder(created, updated), 'updated_at is before created_at'],
    [inOrder(created, locked), 'locked_at is before created_at'],
    [
      files.every((file) => inOrder(created, file.uploaded_at)),
      'uploaded_at of a file is before created_at of the case',
    ],
    [
      files.every((file) => inOrder(file.uploaded_at, file.analysis_completed_at)),
      'analysis_completed_at of a file is before its uploaded_at',
    ],
  ];
  return faults.flatMap(([holds, message]) => (holds ? [] : [message]));
}
