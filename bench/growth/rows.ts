/** The rows of a store that grows, made by the engine itself: a million cases sent one by one would take hours. */

/** What the two engines say differently. */
export interface Dialect {
  /** A random identifier. */
  readonly uuid: string;
  /** The whole numbers from 0 on, below this many, as a table `name` with the column `i`. */
  readonly numbers: (name: string, count: number) => string;
  /** The time so many seconds after the first upload, as the interface writes times. */
  readonly time: (seconds: string) => string;
}

const firstUpload = '2026-02-25T06:13:20.000Z';

/** Cases that are inserted together. */
export interface Insertion {
  /** How many cases. */
  readonly cases: number;
  readonly filesOfEach: number;
  /** The number of the first, by which their owners follow one another. */
  readonly first: number;
  readonly organisations: number;
}

/** Statements that insert the cases, leave their identifiers in the temporary table `fresh`, and add them to another, `added`. */
export function insertions(
  { uuid, numbers, time }: Dialect,
  { cases, filesOfEach, first, organisations }: Insertion,
): string[] {
  return [
    'DROP TABLE IF EXISTS fresh',
    `CREATE TEMPORARY TABLE fresh AS
     SELECT ${uuid} AS case_id, c.i + ${first} AS number FROM ${numbers('c', cases)}`,
    `INSERT INTO case_record (case_id, organisation_id, label, metadata, locked_at, created_at, updated_at)
     SELECT case_id, (SELECT organisation_id FROM organisation WHERE name = 'Organisation ' || (number % ${organisations})),
       'Supplier onboarding ' || number, '{"source":"onboarding","reference":"ONB-' || number || '","country":"GB"}',
       NULL, '${firstUpload}', '${firstUpload}'
     FROM fresh`,
    `INSERT INTO case_file
       (case_id, file_id, label, uploaded_at, thumbnail_url, mime_type, analysis_status, analysis_completed_at)
     SELECT case_id, ${uuid}, 'certificate-of-incorporation-' || f.i || '.pdf', ${time('f.i')},
       'https://files.document-analysis.example/thumbnails/' || number || '-' || f.i || '.png', 'application/pdf',
       'analysis_complete', ${time('f.i + 60')}
     FROM fresh CROSS JOIN ${numbers('f', filesOfEach)}`,
    'CREATE TEMPORARY TABLE IF NOT EXISTS added (case_id TEXT)',
    'INSERT INTO added SELECT case_id FROM fresh',
  ];
}

/** Some of the cases that this connection has added, and who owns them: not the last, which the cache still holds. */
export const sampleOf = (wanted: number): string =>
  `SELECT case_id, organisation_id
   FROM (SELECT case_id FROM added ORDER BY random() LIMIT ${wanted}) AS sample JOIN case_record USING (case_id)`;
