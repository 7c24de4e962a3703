/** How a store reads a case for its JSON text. The database returns files as JSON, without an object for each. */
import { type CaseRecord, endedStatuses, type FileSummary, type FilesOverview } from '../../domain/case.ts';

/** How many files are read together with the case. A case with fewer files is a single text in memory. */
export const filesOfBeginning = 2000;
/** How many files of a larger case are read at once. Fewer take less memory and delay other requests less. */
export const filesOfPart = 200;

/** The place of a file in its case: its `uploaded_at` and its `file_id`, with a space between. */
export type FilePlace = string;

/** Some files of a case, and the overview of these. */
export interface FilesPart extends FilesOverview {
  /** Each file as JSON, with commas between them; null for none. */
  readonly files: string | null;
  /** The place of the last file if more may follow; otherwise null. */
  readonly last: FilePlace | null;
}

/** A case without its files: its metadata is JSON text. */
export type CaseState = Omit<CaseRecord, 'metadata'> & { readonly metadata: string; readonly revision: string };

/** A case with its first files; all of them if there are fewer than `filesOfBeginning`. */
export type CaseBeginning = CaseState & Omit<FilesPart, 'last'>;

export function recordOf(state: CaseState): CaseRecord {
  const { case_id, label, locked_at, created_at, updated_at } = state;
  const metadata = JSON.parse(state.metadata) as CaseRecord['metadata'];
  return { case_id, label, metadata, locked_at, created_at, updated_at };
}

/** The columns of a file, named as in a response. */
export const fileColumns = Object.keys({
  file_id: true,
  label: true,
  uploaded_at: true,
  thumbnail_url: true,
  mime_type: true,
  analysis_status: true,
  analysis_completed_at: true,
} satisfies Record<keyof FileSummary, true>).join(', ');

const stateColumns = 'case_id, label, metadata, locked_at, created_at, updated_at, revision';
const overviewColumns = `CAST(count(*) AS integer) AS total_files,
  CAST(count(*) FILTER (WHERE analysis_status IN ('${endedStatuses.join("', '")}')) AS integer) AS ended_files,
  max(analysis_completed_at) AS last_completed_at`;
const ofCase = 'FROM case_record JOIN case_revision USING (case_id) WHERE case_id = $1 AND organisation_id = $2';

export const selectRevision = `SELECT revision ${ofCase}`;
const selectState = `SELECT ${stateColumns} ${ofCase}`;

/** What engines say differently. */
export interface CaseDialect {
  /** The aggregate of the rows `f`, in their order, as the JSON of each with commas between them. */
  readonly filesAsJson: string;
  /** How to join the files of the case `c`, and its identifier there: without LATERAL, it is looked up once more. */
  readonly join: 'CROSS JOIN' | 'CROSS JOIN LATERAL';
  readonly caseId: string;
}

/** Reads a small case completely with one statement: each has a fixed cost, and on PostgreSQL a round trip. */
export const selectBeginning = ({ filesAsJson, join, caseId }: CaseDialect) => `
  SELECT ${stateColumns}, part.*
  FROM case_record c JOIN case_revision USING (case_id) ${join} (
    SELECT ${filesAsJson} AS files, ${overviewColumns}
    FROM (
      SELECT ${fileColumns} FROM case_file
      WHERE case_id = ${caseId} ORDER BY uploaded_at, file_id LIMIT ${filesOfBeginning}) f) part
  WHERE case_id = $1 AND organisation_id = $2`;
const selectPart = ({ filesAsJson }: CaseDialect) => `
  SELECT ${filesAsJson} AS files, ${overviewColumns},
    CASE count(*) WHEN ${filesOfPart} THEN max(uploaded_at || ' ' || file_id) END AS last
  FROM (
    SELECT ${fileColumns} FROM case_file
    WHERE case_id = $1 AND (uploaded_at, file_id) > ($2, $3) ORDER BY uploaded_at, file_id LIMIT ${filesOfPart}) f`;

/** Reads one row with a statement, whose parameters are `$1` and so on. */
export type ReadRow = <Row extends object>(statement: string, ...values: string[]) => Promise<Row | undefined>;

/** How an engine reads. */
interface CaseReader {
  readonly read: ReadRow;
  readonly inSnapshot: <T>(work: (read: ReadRow) => Promise<T>) => Promise<T>;
}

export type CaseSource = ReturnType<typeof caseSourceOn>;

export function caseSourceOn(dialect: CaseDialect, { read, inSnapshot }: CaseReader) {
  const [beginning, part] = [selectBeginning(dialect), selectPart(dialect)];
  return {
    /** The revision of the case; undefined if this organisation has no such case. */
    findRevision: async (organisationId: string, caseId: string) =>
      (await read<{ revision: string }>(selectRevision, caseId, organisationId))?.revision,

    readBeginning: (organisationId: string, caseId: string) => read<CaseBeginning>(beginning, caseId, organisationId),

    /** Reads a case from one snapshot: its files part by part, after a place or from the first. */
    withCase: <T>(
      organisationId: string,
      caseId: string,
      work: (state: CaseState, readPart: (after?: FilePlace) => Promise<FilesPart>) => Promise<T>,
    ): Promise<T | undefined> =>
      inSnapshot(async (readOfSnapshot) => {
        const state = await readOfSnapshot<CaseState>(selectState, caseId, organisationId);
        const readPart = async (after?: FilePlace) =>
          (await readOfSnapshot<FilesPart>(part, caseId, ...keyOf(after))) as FilesPart;
        return state && work(state, readPart);
      }),
  };
}

/** The key after which a part begins: this place, or before the first file. */
function keyOf(place: FilePlace = ' '): [uploadedAt: string, fileId: string] {
  const end = place.indexOf(' ');
  return [place.slice(0, end), place.slice(end + 1)];
}
