import { join } from 'node:path';

const bench = join(import.meta.dirname, '..');

/** The folders of the bench. */
export const folders = {
  bench,
  repository: join(bench, '..'),
  /** The output of the compilation. */
  compiled: join(bench, 'out'),
  /** The results that are committed. */
  results: join(bench, 'results'),
  /** Data and trial results, which are not committed. */
  reports: join(bench, '../reports/bench'),
} as const;
