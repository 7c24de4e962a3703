import type { DetailKind, RegistryRecord } from '../../domain/analysis.ts';

/** The registry was asked repeatedly and is unavailable. The message states the reason and contains no secret. */
export class RegistryUnavailableError extends Error {
  override readonly name = 'RegistryUnavailableError';
}

/** The reason of an imported register without an import. Evidence is permanent, so it names no command. */
export const notImported = 'no register was imported';

/** An authoritative registry of companies, local or remote. */
export interface Registry {
  /** For people, and recorded in evidence. */
  readonly name: string;
  readonly kinds: readonly DetailKind[];
  /** How many questions of one document it may be asked concurrently; one by default. */
  readonly questionsAtOnce?: number;
  /**
   * The current edition of an imported register; undefined if none was imported. Evidence records it, and counts in the
   * cache until another edition replaces it. An API has no editions: leave the method out.
   */
  edition?(): Promise<string | undefined>;
  /** The record of a canonical value; undefined if there is none. @throws {RegistryUnavailableError} */
  find(kind: DetailKind, value: string, signal?: AbortSignal): Promise<RegistryRecord | undefined>;
}
