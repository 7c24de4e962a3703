/** Processes one file. If the store cannot record the end, the lease expires and the file is taken again. */
import type { Logger } from 'pino';
import { type AnalysisFailure, type AnalysisResult, type Evidence, isProvisional } from '../domain/analysis.ts';
import type { ContentStore } from '../files/content-store.ts';
import type { EndedAnalysis, TakenAnalysis } from '../store/parts/analyses.ts';
import type { Store } from '../store/store.ts';
import type { Turn } from '../store/parts/leases.ts';
import type { namesCompany } from './details/names-company.ts';
import type { readDocument } from './extraction/read-document.ts';
import { leaseFrom, type LeasedWork, recheckAfter, underLease } from './lease.ts';
import type { Registry } from './registries/registry.ts';
import { verify } from './verify.ts';

/**
 * The outcome for a file: its own result (`complete`), a cached result (`from_cache`), or none (`failed`). Another
 * worker continues if this one lost its lease (`lost`) or returned the file to the queue (`given_back`).
 */
export const analysisOutcomes = ['complete', 'from_cache', 'failed', 'lost', 'given_back'] as const;

export interface AnalysisReport {
  readonly fileId: string;
  readonly outcome: (typeof analysisOutcomes)[number];
  readonly code?: AnalysisFailure['code'];
  readonly durationMs: number;
}

type Outcome = Pick<AnalysisReport, 'outcome' | 'code'>;

export interface AnalysisTools {
  readonly contents: Pick<ContentStore, 'verified'>;
  readonly readDocument: typeof readDocument;
  /** Loads the registries and the comparison of names, if the setting is on. */
  readonly verification: () => Promise<{ registries: readonly Registry[]; namesCompany: typeof namesCompany }>;
  readonly now: () => Date;
  /** How long a cached response counts if the registry has no editions. */
  readonly resultMaxAgeMilliseconds: number;
}

/**
 * A result is provisional if a registry was unavailable: it is not cached for other files, and the registry is asked
 * again.
 */
type AnalysisEnding = { result: AnalysisResult; provisional: boolean } | { failure: AnalysisFailure };

export interface AnalysisParts {
  readonly store: Store;
  readonly tools: AnalysisTools;
  readonly logger: Logger;
}

const internalError: AnalysisFailure = {
  code: 'internal-error',
  message: 'The analysis failed unexpectedly. See the log of the worker.',
};

const contentMissing: AnalysisFailure = {
  code: 'content-missing',
  message:
    "The file's content is missing from the data directory, was altered, or cannot be read. Add the file again, as the user " +
    'that runs the servers.',
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
  const leased: LeasedWork<AnalysisEnding, Outcome> = {
    renew: (time) => store.renewLease(lease, time),
    release: () => store.releaseLease(lease),
    now: tools.now,
    work: (during) => analyseFile(taken, tools, during),
    failed: (error) => {
      logger.error({ err: error, fileId }, 'a file could not be analysed');
      return { failure: internalError };
    },
    save: (ending) => save(taken, ending, parts),
  };
  const outcome = await underLease(leased, signal);
  return typeof outcome === 'string' ? { outcome } : outcome;
}

async function save(
  { lease }: TakenAnalysis,
  ending: AnalysisEnding,
  { store, tools }: AnalysisParts,
): Promise<Outcome | undefined> {
  const at = tools.now().toISOString();
  if ('failure' in ending) {
    const { failure } = ending;
    const failed = await store.failAnalysis(lease, { failure, at });
    return failed && outcomeOf(failed, failure.code);
  }
  const { result, provisional } = ending;
  const recheckAfterMilliseconds = provisional ? recheckAfter(1) : undefined;
  const completion = { result, cacheable: !provisional, at, recheckAfterMilliseconds };
  const completed = await store.completeAnalysis(lease, completion);
  return completed && outcomeOf(completed);
}

function outcomeOf(
  { analysis_status: status, from_cache: fromCache }: EndedAnalysis,
  code?: AnalysisReport['code'],
): Outcome {
  if (status === 'analysis_failed') return { outcome: 'failed', ...(code && { code }) };
  return { outcome: fromCache ? 'from_cache' : 'complete' };
}

/**
 * Reads a file, finds its details, and asks registries about them if checks run.
 * @throws {ContentFolderError} if this worker can read no file's content; the signal's reason if it aborts
 */
async function analyseFile(
  taken: Pick<TakenAnalysis, 'content_sha256' | 'mime_type' | 'verification_enabled' | 'checks_prevented_by'>,
  { contents, readDocument, verification, now }: AnalysisTools,
  signal: AbortSignal,
): Promise<AnalysisEnding> {
  const path = await contents.verified(taken.content_sha256, signal);
  if (path === undefined) return { failure: contentMissing };
  const reading = await readDocument(path, taken.mime_type, signal);
  if (reading.outcome === 'failed') {
    if (reading.cause !== undefined) throw new Error(`reading it failed: ${reading.cause}`);
    return { failure: reading.failure };
  }
  const { outcome, pages } = reading;
  const { characters, details } = outcome === 'text' ? reading : { characters: 0, details: [] };
  const evidence = taken.verification_enabled ? await gather() : null;
  const { checks_prevented_by: preventedBy } = taken;
  const result = {
    text: { outcome, pages, characters },
    details,
    evidence,
    ...(preventedBy && { checks_prevented_by: preventedBy }),
  };
  return { result, provisional: (evidence ?? []).some(isProvisional) };

  async function gather(): Promise<Evidence[]> {
    if (reading.outcome !== 'text') return [];
    const { registries, namesCompany } = await verification();
    return verify(details, {
      registries,
      namesCompany: (name) => namesCompany(reading.comparableText, name),
      now,
      signal,
    });
  }
}
