/** Reads what a file says, and what of it an analysis looks for. */
import { type BoundedOutcome, type Bounds, runBounded } from '../bounded-process/run-bounded.ts';
import type { AnalysisFailure } from '../../domain/analysis.ts';
import type { ContentLimits, ReadDocument, ReadDocumentOrder } from './document.ts';

/** What reading one document may take. */
export type ReadingLimits = Bounds & ContentLimits;

const readingLimits: ReadingLimits = { milliseconds: 60_000, mebibytes: 512, pages: 2000, characters: 5_000_000 };

/**
 * Reads a file in a process of its own, so that neither a hostile file nor a large one holds the caller up.
 * @param mediaType of the content
 * @throws the signal's reason if it is aborted, and what keeps a process from being started
 */
export async function readDocument(
  path: string,
  mediaType: string,
  signal?: AbortSignal,
  limits: ReadingLimits = readingLimits,
): Promise<ReadDocument> {
  if (mediaType.startsWith('image/')) return { outcome: 'no_text', pages: null };
  const job = new URL('./read-document-job.ts', import.meta.url);
  const order: ReadDocumentOrder = { path, mediaType, limits };
  const outcome = await runBounded<ReadDocument>(job, order, limits, signal);
  return outcome.outcome === 'done' ? outcome.output : failed(outcome, limits);
}

function failed(
  outcome: Exclude<BoundedOutcome<ReadDocument>, { outcome: 'done' }>,
  { milliseconds, mebibytes }: Bounds,
): ReadDocument {
  const failure = (code: AnalysisFailure['code'], message: string) =>
    ({ outcome: 'failed', failure: { code, message } }) as const;
  switch (outcome.outcome) {
    case 'too-slow':
      return failure('too-slow', `Reading the file took longer than ${milliseconds / 1000} s.`);
    case 'too-much-memory':
      return failure('too-much-content', `Reading the file took more memory than ${mebibytes} MiB.`);
    case 'failed':
      return { ...failure('internal-error', 'Reading the file failed unexpectedly.'), cause: outcome.message };
  }
}
