/**
 * Rechecks ask registries again about a file if one was unavailable during its analysis. The result itself never
 * changes; later evidence is stored beside it. Each method is one transaction; times and clocks are those of
 * `AnalysisStore`.
 */
import type { Evidence } from '../domain/analysis.ts';
import type { Lease, LeaseTime } from './analysis-store.ts';

/** A file that a worker has taken for a recheck. */
export interface TakenRecheck {
  status: 'taken';
  lease: Lease;
  file_id: string;
  organisation_id: string;
  mime_type: string;
  content_sha256: Uint8Array;
  /** How often it was taken since a registry last responded, including this time. */
  attempts: number;
  /** An `AnalysisResult` as JSON. */
  result: string;
  later_evidence: Evidence[];
}

/**
 * The recheck of a file is abandoned: it was tried `mostRechecks` times, the organisation's verification setting was
 * turned off or changed since the analysis of the file, or its feature was withdrawn.
 */
export interface AbandonedRecheck {
  status: 'given_up';
  file_id: string;
  organisation_id: string;
}

/** The cached result after which pruning continues. */
export type CachedResultKey = readonly [organisationId: string, contentSha256: Uint8Array];

/** Selects the cached results to examine, and the criteria for keeping them. */
export interface Pruning {
  readonly at: string;
  /** As in `Taking`. */
  readonly askedSince: string;
  /** If omitted, pruning starts with the first one. */
  readonly after?: CachedResultKey | undefined;
  readonly limit: number;
}

export interface RecheckStore {
  /**
   * Takes, or abandons, the first due file of the organisation whose turn it is; undefined if none is due.
   * @param taking `after`: the organisation that had its turn last
   */
  takeRecheck(taking: LeaseTime & { after: string }): Promise<TakenRecheck | AbandonedRecheck | undefined>;
  /** Renews a lease. False if it is lost, or the recheck is no longer permitted. */
  renewRecheck(lease: Lease, time: LeaseTime): Promise<boolean>;
  /** Returns a file at this time: it is due at once, and the attempt does not count. */
  releaseRecheck(lease: Lease, at: string): Promise<void>;
  /**
   * Saves all later evidence, with an audit entry if there is more than before. The file is due again after
   * `dueAfterMilliseconds`, or never; if no question is open, the result with the later evidence is cached. Nothing is
   * saved if the lease is lost (undefined) or the recheck is no longer permitted (`given_up`).
   */
  saveRecheck(
    lease: Lease,
    saving: { laterEvidence: readonly Evidence[]; dueAfterMilliseconds: number | undefined; at: string },
  ): Promise<'saved' | 'given_up' | undefined>;
  /** How many files have a pending recheck. */
  countRechecks(): Promise<number>;
  /** Deletes outdated results among the next cached ones. Returns where to continue, or undefined at the end. */
  pruneCachedResults(pruning: Pruning): Promise<{ deleted: number; next: CachedResultKey | undefined }>;
}
