/** The rows of a growing store, made by the engine itself: sending a million cases one by one would take hours. */

/** The differences between the two engines. */
export interface Dialect {
  /** A random identifier. */
  readonly uuid: string;
  /** The whole numbers from 0 up to this count, excluded, as a table `name` with the column `i`. */
  readonly numbers: (name: string, count: number) => string;
  /** The time this many seconds after the first upload, in the format of the interface. */
  readonly time: (seconds: string) => string;
}

const firstUpload = '2026-02-25T06:13:20.000Z';

/** Cases that are inserted together. */
export interface Insertion {
  readonly cases: number;
  readonly filesOfEach: number;
  /** The number of the first, which determines the sequence of owners. */
  readonly first: number;
  readonly organisations: number;
}

/**
 * Statements that insert the cases, put their identifiers into the temporary table `fresh`, and append them to `added`.
 */
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

/** Some of the cases that this connection added, with their owners: not the latest, which are still cached. */
export const sampleOf = (wanted: number): string =>
  `SELECT case_id, organisation_id
   FROM (SELECT case_id FROM added ORDER BY random() LIMIT ${wanted}) AS sample JOIN case_record USING (case_id)`;
