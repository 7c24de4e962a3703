/**
 * Registries are asked again about a file whose evidence says that one was unavailable. The result stays as it is; what
 * is found later is kept beside it. Each method is one transaction; times and clocks are as of `AnalysisStore`.
 */
import type { Evidence } from '../domain/analysis.ts';
import type { Lease, LeaseTime } from './analysis-store.ts';

/** A file about which a worker has to ask again. */
export interface TakenRecheck {
  status: 'taken';
  lease: Lease;
  file_id: string;
  organisation_id: string;
  mime_type: string;
  content_sha256: Uint8Array;
  /** How often it was taken since a registry last responded, with this time. */
  attempts: number;
  /** An `AnalysisResult` as JSON. */
  result: string;
  later_evidence: Evidence[];
}

/**
 * Nobody asks about this file again: it was tried `mostRechecks` times, or the organisation's verification was switched off,
 * or changed since the file was analysed, or its feature was withdrawn.
 */
export interface AbandonedRecheck {
  status: 'given_up';
  file_id: string;
  organisation_id: string;
}

/** Where a pruning of cached results goes on: behind this one. */
export type CachedResultKey = readonly [organisationId: string, contentSha256: Uint8Array];

/** Which cached results are looked at, and by what they are judged. */
export interface Pruning {
  readonly at: string;
  /** As of `Taking`. */
  readonly askedSince: string;
  /** From the first one if it is left out. */
  readonly after?: CachedResultKey | undefined;
  readonly limit: number;
}

export interface RecheckStore {
  /**
   * Takes the file that is due first of the organisation whose turn it is, or gives it up; undefined if none is due.
   * @param taking `after`: the organisation that had its turn last
   */
  takeRecheck(taking: LeaseTime & { after: string }): Promise<TakenRecheck | AbandonedRecheck | undefined>;
  /** Prolongs a lease. False if it is lost, or nothing may be asked any more. */
  renewRecheck(lease: Lease, time: LeaseTime): Promise<boolean>;
  /** Gives a file back at this time: it is due at once, and the attempt does not count. */
  releaseRecheck(lease: Lease, at: string): Promise<void>;
  /**
   * Saves all later evidence, with an audit entry if it is more than before. The file is due again after
   * `dueAfterMilliseconds`, or never; if no question is open, the result with the later evidence is cached. Undefined
   * if the lease is lost; then, and if nothing may be asked any more (`given_up`), nothing is saved.
   */
  saveRecheck(
    lease: Lease,
    saving: { laterEvidence: readonly Evidence[]; dueAfterMilliseconds: number | undefined; at: string },
  ): Promise<'saved' | 'given_up' | undefined>;
  /** About how many files registries will be asked again. */
  countRechecks(): Promise<number>;
  /** Deletes those of the next cached results whose evidence does not count any more; gives where to go on, if anywhere. */
  pruneCachedResults(pruning: Pruning): Promise<{ deleted: number; next: CachedResultKey | undefined }>;
}
