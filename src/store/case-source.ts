/** What an engine gives of a case for its JSON text. The files come as JSON already: no object is made of each. */
import { type CaseRecord, endedStatuses, type FileSummary, type FilesOverview } from '../domain/case.ts';

/** How many files are read with the case itself. A case of fewer is one text in memory. */
export const filesOfBeginning = 2000;
/** How many files of a larger one are read at once: the fewer, the less memory, and the shorter other requests wait. */
export const filesOfPart = 200;

/** The place of a file in its case: its `uploaded_at` and its `file_id`, with a space between. */
export type FilePlace = string;

/** Files of a case that follow one another. */
export interface FilesPart extends FilesOverview {
  /** Each file as JSON, with commas between them; null for none. */
  readonly files: string | null;
}

/** The same, with where they end. */
export interface PlacedFilesPart extends FilesPart {
  /** The place of the last one, if others may follow it; else null. */
  readonly last: FilePlace | null;
}

/** A case without its files, and the name of the state that it is in. */
export interface CaseState {
  readonly revision: string;
  readonly record: CaseRecord;
}

/** A case with its first files, which are all if they are fewer than `filesOfBeginning`. */
export interface CaseBeginning extends CaseState {
  readonly beginning: FilesPart;
}

/** A case without its files as an engine reads it: its metadata is JSON text. */
export type StateRow = Omit<CaseRecord, 'metadata'> & { metadata: string; revision: string };

export interface CaseSource {
  /** The name of the state that the case is in; undefined if this organisation has no such case. */
  findRevision(organisationId: string, caseId: string): Promise<string | undefined>;
  readBeginning(organisationId: string, caseId: string): Promise<CaseBeginning | undefined>;
  /** Works on a case as it is at one moment: its state, and its files part by part. To be called one at a time. */
  withCase<T>(
    organisationId: string,
    caseId: string,
    work: (state: CaseState, readPart: (after?: FilePlace) => Promise<PlacedFilesPart>) => Promise<T>,
  ): Promise<T | undefined>;
}

/** The state in a row. */
export function stateOf(row: StateRow): CaseState {
  const { revision, case_id, label, locked_at, created_at, updated_at } = row;
  const metadata = JSON.parse(row.metadata) as CaseRecord['metadata'];
  return { revision, record: { case_id, label, metadata, locked_at, created_at, updated_at } };
}

/** The same with the first files, which stand in the same row. */
export function beginningOf(row: StateRow & FilesPart): CaseBeginning {
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

/** The columns of a file in a response, under the same names. */
export const fileColumns = Object.keys(columns);

/** The columns that sum up the files of a part, on either engine. */
export const overviewColumns = `CAST(count(*) AS integer) AS total_files,
  CAST(count(*) FILTER (WHERE analysis_status IN ('${endedStatuses.join("', '")}')) AS integer) AS ended_files,
  max(analysis_completed_at) AS last_completed_at`;

/** Where a part begins: behind this place, or with the first file. */
export function keyOf(place: FilePlace = ' '): [uploadedAt: string, fileId: string] {
  const end = place.indexOf(' ');
  return [place.slice(0, end), place.slice(end + 1)];
}
