import { stat } from 'node:fs/promises';
import { bulkhead } from 'cockatiel';
import { type BoundedJob, type BoundedOutcome, type Bounds, runBounded } from '../bounded-process/run-bounded.ts';
import type { AnalysisFailure, Detail } from '../../domain/analysis.ts';
import type { ComparableText } from '../details/names-company.ts';
import { boundsOfReading, maxTextBytes, readingsAtATime } from './reading-bounds.ts';

export type ReadDocument =
  | {
      outcome: 'text';
      pages: number | null;
      characters: number;
      details: Detail[];
      /** For `namesCompany`; empty without details. */
      comparableText: ComparableText;
    }
  /** An image, or a file without any text; `pages` is null for a file without pages. */
  | { outcome: 'no_text'; pages: number | null }
  /** The cause of an internal error is for the log only: it may contain parts of the content. */
  | { outcome: 'failed'; failure: AnalysisFailure; cause?: string };

/** The maximum content of a document; a document that exceeds it is rejected, not read in part. */
export interface ContentLimits {
  pages: number;
  characters: number;
}

export interface ReadDocumentOrder {
  mediaType: string;
  limits: ContentLimits;
}

export type ReadingLimits = Bounds & ContentLimits;

const contentLimits: ContentLimits = { pages: 2000, characters: 5_000_000 };

/**
 * Reads a file in a separate process, so that neither a hostile file nor a large one delays the caller.
 * @param given limits that replace those for a file of its size
 * @throws the signal's reason if it aborts, or the error that prevents a process from starting
 */
export async function readDocument(
  path: string,
  mediaType: string,
  signal?: AbortSignal,
  given?: ReadingLimits,
): Promise<ReadDocument> {
  // Optical character recognition (OCR) would start here for images, and in the job for pages without text.
  if (mediaType.startsWith('image/')) return { outcome: 'no_text', pages: null };
  const limits = given ?? { ...contentLimits, ...boundsOfReading((await stat(path)).size) };
  const job: BoundedJob = {
    module: new URL('./read-document-job.ts', import.meta.url),
    input: { mediaType, limits } satisfies ReadDocumentOrder,
    file: path,
    packages: ['pdfjs-dist', 'stdnum'],
    maxBytes: maxTextBytes,
  };
  const outcome = await runBounded<ReadDocument>(job, limits, signal);
  if (outcome.outcome !== 'done') return failed(outcome, limits);
  const reading = outcome.output;
  return reading.outcome === 'text' ? { ...reading, comparableText: outcome.bytes.toString() } : reading;
}

function failed(
  outcome: Exclude<BoundedOutcome<ReadDocument>, { outcome: 'done' }>,
  { milliseconds, processorSeconds, mebibytes }: Bounds,
): ReadDocument {
  const failure = (code: AnalysisFailure['code'], message: string) =>
    ({ outcome: 'failed', failure: { code, message } }) as const;
  switch (outcome.outcome) {
    case 'too-slow':
      return failure(
        'too-slow',
        `Reading the file took more than ${processorSeconds} s of processor time, or ${milliseconds / 1000} s in total, the limits for its size.`,
      );
    case 'too-much-memory':
      return failure('too-much-content', `Reading the file took more memory than ${mebibytes} MiB.`);
    case 'failed':
      return { ...failure('internal-error', 'Reading the file failed unexpectedly.'), cause: outcome.message };
  }
}

const places = bulkhead(readingsAtATime(), Infinity);

/** Reads a document once there is memory for it. Analyses and repeated checks share the limit on concurrent readings. */
export const readInTurn: typeof readDocument = (...parameters) => places.execute(() => readDocument(...parameters));
