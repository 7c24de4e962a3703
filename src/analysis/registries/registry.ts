import type { DetailKind, RegistryRecord } from '../../domain/analysis.ts';

/** The registry is unavailable, though it was asked again; the message says why and holds no secret. */
export class RegistryUnavailableError extends Error {
  override readonly name = 'RegistryUnavailableError';
}

/** An authoritative registry of companies, wherever it is. */
export interface Registry {
  /** For people and for evidence. */
  readonly name: string;
  /** The kinds of detail that it can be asked about. */
  readonly kinds: readonly DetailKind[];
  /** How many questions of one document it may be asked at once; one after the other if it does not say. */
  readonly questionsAtOnce?: number;
  /**
   * The edition of an imported register that is asked from now on; undefined if none was imported. Evidence names it, and
   * counts in the cache until another edition takes its place. An API has no editions: leave the method out.
   */
  edition?(): Promise<string | undefined>;
  /**
   * What it holds under a detail's canonical value; undefined if it holds nothing.
   * @throws {RegistryUnavailableError} if it is unavailable
   */
  find(kind: DetailKind, value: string, signal?: AbortSignal): Promise<RegistryRecord | undefined>;
}
