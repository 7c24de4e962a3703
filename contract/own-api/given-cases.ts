/** Cases that a server is given, and must return as they are: texts of all kinds, times of both halves of a year, files in any order. */
import { randomUUID } from 'node:crypto';

/** As an operator imports it. */
type GivenCase = ReturnType<typeof caseOf>;

/** Over what pages, batches and buffers usually hold. */
const manyFiles = 2_100;

interface GivenFile {
  readonly label: string;
  readonly uploaded_at: string;
  readonly analysis_status?: string;
  readonly analysis_completed_at?: string | null;
}

function caseOf(
  fields: { label: string | null; metadata: object; created_at: string; locked_at?: string },
  files: GivenFile[],
) {
  const filesOfCase = files.map((file) => ({
    file_id: randomUUID(),
    thumbnail_url: 'https://files.example/thumbnails/a%20b.png?size=1&form=\u00df',
    mime_type: 'text/plain; charset="utf-8"',
    analysis_status: 'analysis_complete',
    analysis_completed_at: file.uploaded_at,
    ...file,
  }));
  return { case_id: randomUUID(), locked_at: null, updated_at: fields.created_at, ...fields, files: filesOfCase };
}

const text = `Gr\u00f6\u00dfe \u20ac \u{1f600} <b>Smith & Sons</b> &amp; "q" \\ ' \u05d0\u05d1 e\u0301`;
const summer = '2026-07-01T23:30:00.250Z';
const winter = '2026-01-31T00:00:00.000Z';

/** New ones for each call, by what is unusual in them. */
export const givenCases: Readonly<Record<string, () => GivenCase>> = {
  'texts-and-null': () =>
    caseOf(
      {
        label: text,
        metadata: {
          null: null,
          in: { null: null, list: [null, {}, []] },
          [text]: text,
          '': 0.1,
          long: 'x'.repeat(9000),
        },
        created_at: summer,
      },
      [{ label: text, uploaded_at: summer }],
    ),
  'equal-times': () =>
    caseOf(
      { label: '\u{1f600}'.repeat(255), metadata: {}, created_at: winter, locked_at: summer },
      Array.from('badcef', (label) => ({ label, uploaded_at: summer })),
    ),
  'last-analysis-first': () =>
    caseOf({ label: null, metadata: { a: 1 }, created_at: winter }, [
      { label: 'first', uploaded_at: winter, analysis_completed_at: '2026-07-02T09:18:00.000Z' },
      { label: 'second', uploaded_at: summer, analysis_completed_at: '2026-07-02T09:17:00.000Z' },
      {
        label: 'third',
        uploaded_at: summer,
        analysis_status: 'analysis_failed',
        analysis_completed_at: '2026-07-02T09:16:00.000Z',
      },
    ]),
  unfinished: () =>
    caseOf({ label: '', metadata: {}, created_at: winter }, [
      { label: 'one', uploaded_at: winter, analysis_status: 'analysing', analysis_completed_at: null },
      { label: 'two', uploaded_at: summer },
    ]),
  'many-files': () =>
    caseOf(
      { label: 'many', metadata: {}, created_at: winter },
      Array.from({ length: manyFiles }, (_none, index) => ({
        label: `file ${index}`,
        uploaded_at: new Date(Date.parse(winter) + (index % 700) * 1000).toISOString(),
      })),
    ),
};

/** The case as it must be returned (interface, section 2.3; D8, D28 and D29). */
export function returnedCase({ files, ...given }: GivenCase): Record<string, unknown> {
  const sorted = files.toSorted(
    (one, other) =>
      Date.parse(one.uploaded_at) - Date.parse(other.uploaded_at) || (one.file_id < other.file_id ? -1 : 1),
  );
  const ends = files.map(({ analysis_completed_at: end }) => Date.parse(end ?? ''));
  const isComplete = !ends.some(Number.isNaN);
  return {
    ...given,
    is_locked: given.locked_at !== null,
    file_analysis_status: isComplete ? 'file_analysis_complete' : 'waiting_for_file_analysis',
    file_analysis_completed_at: isComplete ? new Date(Math.max(...ends)).toISOString() : null,
    files: sorted,
    total_files: files.length,
  };
}
