/** Processes one file. If the store cannot record the end, the lease expires and the file is taken again. */
import type { Logger } from 'pino';
import type { AnalysisFailure } from '../domain/analysis.ts';
import type {
  AnalysisStore,
  EndedAnalysis,
  LeaseTime,
  RecheckStore,
  TakenAnalysis,
  Turn,
} from '../store/analysis-store.ts';
import { type AnalysisEnding, type AnalysisTools, analyseFile } from './analyse-file.ts';
import { isOutage, leaseFrom, recheckAfter, underLease, whenAvailable } from './lease.ts';

/**
 * A file has a result of its own (`complete`) or one from the cache (`from_cache`), or none (`failed`), or is left to
 * another worker, because this one lost its lease (`lost`) or gave the file back (`given_back`).
 */
export const analysisOutcomes = ['complete', 'from_cache', 'failed', 'lost', 'given_back'] as const;

export interface AnalysisReport {
  readonly fileId: string;
  readonly outcome: (typeof analysisOutcomes)[number];
  readonly code?: AnalysisFailure['code'];
  readonly durationMs: number;
}

type Outcome = Pick<AnalysisReport, 'outcome' | 'code'>;

export interface AnalysisParts {
  readonly store: AnalysisStore & RecheckStore;
  readonly tools: AnalysisTools;
  readonly logger: Logger;
}

const internalError: AnalysisFailure = {
  code: 'internal-error',
  message: 'The analysis failed unexpectedly. See the log of the worker.',
};

export function takeNext(
  { store, tools }: AnalysisParts,
  turn?: Turn,
): Promise<TakenAnalysis | EndedAnalysis | undefined> {
  const at = tools.now();
  const askedSince = new Date(at.getTime() - tools.resultMaxAgeMilliseconds).toISOString();
  return store.takeAnalysis({ ...leaseFrom(at), askedSince, ...(turn && { turn }) });
}

/**
 * Analyses a file that was just taken. It is given back if the signal aborts.
 * @throws an error that would also affect any other file here; the file is given back
 */
export async function analyse(
  taken: TakenAnalysis | EndedAnalysis,
  parts: AnalysisParts,
  signal: AbortSignal,
): Promise<AnalysisReport> {
  const begun = performance.now();
  const { logger } = parts;
  const outcome =
    taken.analysis_status === 'analysing' ? await analyseTaken(taken, parts, signal) : outcomeOf(taken, 'worker-lost');
  const report = { fileId: taken.file_id, ...outcome, durationMs: Math.round(performance.now() - begun) };
  logger[report.code === undefined ? 'info' : 'warn']({ ...report, organisationId: taken.organisation_id }, 'analysed');
  return report;
}

async function analyseTaken(taken: TakenAnalysis, parts: AnalysisParts, signal: AbortSignal): Promise<Outcome> {
  const { store, tools, logger } = parts;
  const { lease, file_id: fileId } = taken;
  const held = {
    renew: (time: LeaseTime) => store.renewLease(lease, time),
    release: () => store.releaseLease(lease),
    now: tools.now,
  };
  const outcome = await underLease(held, signal, async (leased) => {
    const ending = await analyseFile(taken, tools, leased).catch((error: unknown): AnalysisEnding => {
      leased.throwIfAborted();
      if (isOutage(error)) throw error;
      logger.error({ err: error, fileId }, 'a file could not be analysed');
      return { failure: internalError };
    });
    return save(taken, ending, parts, leased);
  });
  return typeof outcome === 'string' ? { outcome } : outcome;
}

async function save(
  { lease }: TakenAnalysis,
  ending: AnalysisEnding,
  { store, tools }: AnalysisParts,
  signal: AbortSignal,
): Promise<Outcome> {
  const at = tools.now().toISOString();
  const ended = await whenAvailable(
    () =>
      'failure' in ending
        ? store.failAnalysis(lease, { failure: ending.failure, at })
        : store.completeAnalysis(lease, {
            result: ending.result,
            cacheable: !ending.provisional,
            at,
            recheckAfterMilliseconds: ending.provisional ? recheckAfter(1) : undefined,
          }),
    signal,
  );
  return ended ? outcomeOf(ended, 'failure' in ending ? ending.failure.code : undefined) : { outcome: 'lost' };
}

function outcomeOf(
  { analysis_status: status, from_cache: fromCache }: EndedAnalysis,
  code: AnalysisReport['code'],
): Outcome {
  if (status === 'analysis_failed') return { outcome: 'failed', ...(code && { code }) };
  return { outcome: fromCache ? 'from_cache' : 'complete' };
}
