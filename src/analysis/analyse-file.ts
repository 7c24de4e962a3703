import { type AnalysisFailure, type AnalysisResult, type Evidence, isProvisional } from '../domain/analysis.ts';
import type { ContentStore } from '../files/content-store.ts';
import type { Registry } from './registries/registry.ts';
import type { TakenAnalysis } from '../store/analysis-store.ts';
import type { namesCompany } from './details/names-company.ts';
import type { readDocument } from './extraction/read-document.ts';
import { verify } from './verify.ts';

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
 * The outcome of an analysis: a result, or a failure. A result is provisional if a registry was unavailable: other
 * files of the same content do not get it, and the registry is asked again.
 */
export type AnalysisEnding = { result: AnalysisResult; provisional: boolean } | { failure: AnalysisFailure };

const contentMissing: AnalysisFailure = {
  code: 'content-missing',
  message:
    "The file's content is missing from the data directory, was altered, or cannot be read. Add the file again, as the user " +
    'that runs the servers.',
};

/**
 * Reads a file, finds its details, and asks registries about them if checks run.
 * @throws {ContentFolderError} if this worker can read no file's content; the signal's reason if it aborts
 */
export async function analyseFile(
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
