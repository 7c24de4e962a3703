/** How an engine reads a case for its JSON text. The database returns files as JSON, without an object for each. */
import { type CaseRecord, endedStatuses, type FileSummary, type FilesOverview } from '../../domain/case.ts';

/** How many files are read together with the case. A case with fewer files is a single text in memory. */
export const filesOfBeginning = 2000;
/**
 * How many files of a larger case are read at once. Fewer files mean less memory and shorter waits for other requests.
 */
export const filesOfPart = 200;

/** The place of a file in its case: its `uploaded_at` and its `file_id`, with a space between. */
export type FilePlace = string;

/** Consecutive files of a case. */
export interface FilesPart {
  /** Each file as JSON, with commas between them; null for none. */
  readonly files: string | null;
  /** The place of the last file if more may follow; otherwise null. */
  readonly last: FilePlace | null;
}

/** A case without its files, and its revision. */
export interface CaseState {
  readonly revision: string;
  readonly record: CaseRecord;
}

/** A case with its first files; all of them if there are fewer than `filesOfBeginning`. */
export interface CaseBeginning extends CaseState {
  readonly beginning: FilesOverview & Pick<FilesPart, 'files'>;
}

/** A case without its files as an engine reads it: its metadata is JSON text. */
export type StateRow = Omit<CaseRecord, 'metadata'> & { metadata: string; revision: string };

export interface CaseSource {
  /** The revision of the case; undefined if this organisation has no such case. */
  findRevision(organisationId: string, caseId: string): Promise<string | undefined>;
  readBeginning(organisationId: string, caseId: string): Promise<CaseBeginning | undefined>;
  /** Reads a case from one snapshot: its state, which depends on all files, and these part by part. Make one call at a time. */
  withCase<T>(
    organisationId: string,
    caseId: string,
    work: (
      state: CaseState & { readonly overview: FilesOverview },
      readPart: (after?: FilePlace) => Promise<FilesPart>,
    ) => Promise<T>,
  ): Promise<T | undefined>;
}

/** Converts a row. */
export function stateOf(row: StateRow): CaseState {
  const { revision, case_id, label, locked_at, created_at, updated_at } = row;
  const metadata = JSON.parse(row.metadata) as CaseRecord['metadata'];
  return { revision, record: { case_id, label, metadata, locked_at, created_at, updated_at } };
}

/** Converts a row that also contains the first files. */
export function beginningOf(row: StateRow & CaseBeginning['beginning']): CaseBeginning {
  const { revision, record } = stateOf(row);
  const { files, total_files, ended_files, last_completed_at } = row;
  return { revision, record, beginning: { files, total_files, ended_files, last_completed_at } };
}

const columns: Record<keyof FileSummary, true> = {
  file_id: true,
  label: true,
  uploaded_at: true,
  thumbnail_url: true,
  mime_type: true,
  analysis_status: true,
  analysis_completed_at: true,
};

/** The columns of a file, named as in a response. */
export const fileColumns = Object.keys(columns);

/** The columns that summarise files, on both engines. */
export const overviewColumns = `CAST(count(*) AS integer) AS total_files,
  CAST(count(*) FILTER (WHERE analysis_status IN ('${endedStatuses.join("', '")}')) AS integer) AS ended_files,
  max(analysis_completed_at) AS last_completed_at`;

/** The key after which a part begins: this place, or before the first file. */
export function keyOf(place: FilePlace = ' '): [uploadedAt: string, fileId: string] {
  const end = place.indexOf(' ');
  return [place.slice(0, end), place.slice(end + 1)];
}
