import { join } from 'node:path';

const bench = join(import.meta.dirname, '..');

/** The folders of the bench. */
export const folders = {
  bench,
  repository: join(bench, '..'),
  /** What `npm run bench` compiled. */
  compiled: join(bench, 'out'),
  /** The results that are kept in the repository. */
  results: join(bench, 'results'),
  /** Data and trial results, which are not. */
  reports: join(bench, '../reports/bench'),
} as const;
