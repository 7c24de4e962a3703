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

/** The cached result after which pruning continues. */
export type CachedResultKey = readonly [organisationId: string, contentSha256: Uint8Array];

/** Which cached results to examine, and by which times to judge them. */
export interface Pruning {
  readonly at: string;
  /** As in `Taking`. */
  readonly askedSince: string;
  /** Omitted, pruning starts with the first one. */
  readonly after?: CachedResultKey | undefined;
  readonly limit: number;
}

export interface RecheckStore {
  /**
   * Takes or gives up the file that is due first, of the organisation whose turn it is; undefined if none is due.
   * @param taking `after`: the organisation that had the last turn
   */
  takeRecheck(taking: LeaseTime & { after: string }): Promise<TakenRecheck | AbandonedRecheck | undefined>;
  /** Renews a lease. False if it is lost, or if no registry may be asked any more. */
  renewRecheck(lease: Lease, time: LeaseTime): Promise<boolean>;
  /** Gives a file back at this time. It is due at once, and the attempt does not count. */
  releaseRecheck(lease: Lease, at: string): Promise<void>;
  /**
   * Saves all later evidence, with an audit entry if there is more than before. The file is due again after
   * `dueAfterMilliseconds`, or never. If no question is open, the result with the later evidence is cached. Returns undefined
   * if the lease is lost. Nothing is saved then, nor if no registry may be asked any more (`given_up`).
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
