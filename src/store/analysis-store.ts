/**
 * The store's methods for adding, analysing and rechecking files. A worker takes a file under a lease, which it renews
 * while it works; another one takes the file when the lease has expired. Each method is one transaction. Times are by the
 * caller's clock, but leases and due times by the clock of the store if several machines share it.
 */
import type { AnalysisFailure, AnalysisResult, ChecksPreventedBy, Evidence } from '../domain/analysis.ts';
import type { FileSummary } from '../domain/case.ts';

/** A file with stored content, to be added to a case. */
export type NewFile = Pick<FileSummary, 'file_id' | 'label' | 'uploaded_at' | 'thumbnail_url' | 'mime_type'> & {
  /** 32 bytes. */
  content_sha256: Uint8Array;
};

/** A file that waits for its upload: `uploaded_at` is when it was announced, and the media type is not known yet. */
export type ExpectedFile = Omit<NewFile, 'content_sha256'>;

export interface FilesToAdd {
  readonly caseId: string;
  readonly files: readonly NewFile[];
  readonly at: string;
  /** Whether they replace files of the case that wait for their upload. */
  readonly awaited?: boolean;
  /** Whether content is stored. Called when leftovers can no longer be removed. */
  readonly isStored?: ((sha256: Uint8Array) => boolean) | undefined;
}

/** The right to end one analysis. It is lost when another worker takes the file, or when the analysis ends. */
export interface Lease {
  readonly fileId: string;
  /** A unique random value. */
  readonly token: string;
}

/**
 * Whose file is taken next: of the organisation after the last one, in the order of identifiers, so that none waits for
 * all files of another; of one that is busy, if no other has files.
 */
export interface Turn {
  readonly after: string;
  readonly busy: readonly string[];
  /** If given, files of this organisation alone. */
  readonly only?: string;
}

export interface LeaseTime {
  readonly at: string;
  readonly leaseMilliseconds: number;
}

/** The parameters for taking a file. Without a turn, the first organisation goes first. */
export interface Taking extends LeaseTime {
  readonly turn?: Turn;
  /** A cached result with evidence from a registry without editions counts if requested since then; never if omitted. */
  readonly askedSince?: string;
}

interface FileOfCase {
  file_id: string;
  case_id: string;
  organisation_id: string;
}

export interface TakenAnalysis extends FileOfCase {
  analysis_status: 'analysing';
  lease: Lease;
  mime_type: string;
  content_sha256: Uint8Array;
  /** Including this one, without those that were released. */
  attempts: number;
  /** Whether verification checks run: the organisation's setting is on, and it has the feature. */
  verification_enabled: boolean;
  checks_prevented_by?: ChecksPreventedBy;
}

export interface EndedAnalysis extends FileOfCase {
  analysis_status: 'analysis_complete' | 'analysis_failed';
  from_cache: boolean;
}

/** A file and its analysis. These fields are null for an imported file, whose content is not stored. */
export interface FileAnalysis extends FileOfCase, Omit<FileSummary, 'thumbnail_url'> {
  content_sha256: Uint8Array | null;
  attempts: number | null;
  /** When it was last taken, or got a cached result; null until then. */
  started_at: string | null;
  /** Whether verification checks ran. */
  verification_enabled: boolean | null;
  /** Whether it got the cached result of another file with the same content. */
  from_cache: boolean | null;
  /** An `AnalysisResult` as JSON, byte for byte as saved. */
  result: string | null;
  /** The later responses of registries that were unavailable during the analysis. */
  later_evidence: Evidence[] | null;
  recheck_due_at: string | null;
  failure: AnalysisFailure | null;
}

export interface AnalysisStore {
  /**
   * Checks whether `addFiles` would currently accept files for a case.
   * @throws {NotFoundError} if no organisation has such a case; {ConflictError} if it is locked
   */
  requireUnlockedCase(caseId: string): Promise<void>;
  /** Adds a file that is `waiting_for_upload`. @throws as above, and {ConflictError} if the identifier is taken */
  expectFile(expectation: { caseId: string; file: ExpectedFile; at: string }): Promise<void>;
  /**
   * Adds files to a case, all or none, as `waiting_for_analysis`. Those that are `awaited` keep their labels.
   * @throws as above, with the `place` of a taken identifier, as in `[2].file_id`; {NotAwaitedError} if one is not awaited;
   *   {ContentSweptError} if content is no longer stored
   */
  addFiles(addition: FilesToAdd): Promise<void>;

  /**
   * Takes the organisation's earliest uploaded file that waits, or whose lease has expired or ends more than an hour
   * ahead, which only a wrong clock can cause. A file that needs no analysis ends at once: with the cached result for its
   * content (decision D27), or as `worker-lost` if it has already been taken `mostAttempts` times.
   */
  takeAnalysis(taking: Taking): Promise<TakenAnalysis | EndedAnalysis | undefined>;
  /** Renews a lease. False if it is lost. */
  renewLease(lease: Lease, time: LeaseTime): Promise<boolean>;
  /** Returns a file unanalysed: it waits again, and the attempt does not count. False if the lease is lost. */
  releaseLease(lease: Lease): Promise<boolean>;
  /**
   * Ends an analysis with its result and an audit entry. If it is `cacheable`, and neither the organisation's setting nor
   * its feature has changed since the file was taken, not even back and forth, the result is cached. Undefined, with
   * nothing changed, if the lease is lost.
   */
  completeAnalysis(
    lease: Lease,
    completion: {
      result: AnalysisResult;
      cacheable: boolean;
      at: string;
      recheckAfterMilliseconds?: number | undefined;
    },
  ): Promise<EndedAnalysis | undefined>;
  /** Ends an analysis without a result, likewise. */
  failAnalysis(lease: Lease, failing: { failure: AnalysisFailure; at: string }): Promise<EndedAnalysis | undefined>;

  /** @throws {NotFoundError} if no case has such a file */
  readAnalysis(fileId: string): Promise<FileAnalysis>;
  /** How many files `takeAnalysis` could take at this time. */
  countWaitingAnalyses(at: string): Promise<number>;
}

export interface TakenRecheck extends Omit<FileOfCase, 'case_id'> {
  status: 'taken';
  lease: Lease;
  mime_type: string;
  content_sha256: Uint8Array;
  /** Since a registry last responded, including this one. */
  attempts: number;
  /** An `AnalysisResult` as JSON. */
  result: string;
  later_evidence: Evidence[];
}

/** A recheck that was tried `mostRechecks` times, or of an organisation whose setting or feature has changed since then. */
export interface AbandonedRecheck extends Omit<FileOfCase, 'case_id'> {
  status: 'given_up';
}

export type CachedResultKey = readonly [organisationId: string, contentSha256: Uint8Array];

export interface Pruning {
  readonly at: string;
  /** As in `Taking`. */
  readonly askedSince: string;
  readonly after?: CachedResultKey | undefined;
  readonly limit: number;
}

/**
 * Rechecks ask registries again about a file if one was unavailable during its analysis. The result itself never
 * changes; later evidence is stored beside it.
 */
export interface RecheckStore {
  /** Takes, or abandons, the first due file of the organisation whose turn it is, after this one. */
  takeRecheck(taking: LeaseTime & { after: string }): Promise<TakenRecheck | AbandonedRecheck | undefined>;
  /** Renews a lease. False if it is lost, or the recheck is no longer permitted. */
  renewRecheck(lease: Lease, time: LeaseTime): Promise<boolean>;
  /** Returns a file at this time: it is due at once, and the attempt does not count. */
  releaseRecheck(lease: Lease, at: string): Promise<void>;
  /**
   * Saves all later evidence, with an audit entry if there is more than before; if no question is open, the result with it
   * is cached. Nothing is saved if the lease is lost (undefined) or the recheck is no longer permitted (`given_up`).
   */
  saveRecheck(
    lease: Lease,
    saving: { laterEvidence: readonly Evidence[]; dueAfterMilliseconds: number | undefined; at: string },
  ): Promise<'saved' | 'given_up' | undefined>;
  countRechecks(): Promise<number>;
  /** Deletes outdated results among the next cached ones. Returns where to continue, or undefined at the end. */
  pruneCachedResults(pruning: Pruning): Promise<{ deleted: number; next: CachedResultKey | undefined }>;
}
