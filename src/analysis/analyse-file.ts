import { type AnalysisFailure, type AnalysisResult, type Evidence, isProvisional } from '../domain/analysis.ts';
import type { ContentStore } from '../files/content-store.ts';
import type { Registry } from './registries/registry.ts';
import type { TakenAnalysis } from '../store/analysis-store.ts';
import type { namesCompany } from './details/names-company.ts';
import type { readDocument } from './extraction/read-document.ts';
import { verify } from './verify.ts';

/** What an analysis works with. */
export interface AnalysisTools {
  readonly contents: Pick<ContentStore, 'verified'>;
  readonly readDocument: typeof readDocument;
  /** What details are compared with. */
  readonly verification: () => Promise<{ registries: readonly Registry[]; namesCompany: typeof namesCompany }>;
  readonly now: () => Date;
  /** How long the cached response of a registry without editions counts. */
  readonly resultMaxAgeMilliseconds: number;
}

/**
 * How an analysis ended: with a result, or without one. One that a registry was unavailable for is provisional: it is not
 * given to other files of the same content, and the registry is asked again.
 */
export type AnalysisEnding = { result: AnalysisResult; provisional: boolean } | { failure: AnalysisFailure };

const contentMissing: AnalysisFailure = {
  code: 'content-missing',
  message:
    "The file's content is not in the data directory any more, was altered there, or cannot be read. Add the file again, as " +
    "the servers' own user.",
};

/**
 * Reads a file, finds its details, and asks the registries about them if the organisation's setting was on when the file
 * was taken.
 * @throws {ContentFolderError} if no file's content can be read here; the signal's reason if it is given meanwhile
 */
export async function analyseFile(
  taken: Pick<TakenAnalysis, 'content_sha256' | 'mime_type' | 'verification_enabled'>,
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
  const text =
    reading.outcome === 'text'
      ? { outcome: reading.outcome, pages: reading.pages, characters: reading.characters }
      : { outcome: reading.outcome, pages: reading.pages, characters: 0 };
  const details = reading.outcome === 'text' ? reading.details : [];
  const evidence = taken.verification_enabled ? await gather() : null;
  return { result: { text, details, evidence }, provisional: (evidence ?? []).some(isProvisional) };

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
