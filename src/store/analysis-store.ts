/**
 * The store's methods for adding, analysing and rechecking files. A worker takes a file under a lease, which it renews
 * while it works; if it dies, another one takes the file when the lease has expired. Each method is one transaction;
 * times are ISO 8601 in UTC with milliseconds, by the caller's clock. A store that several machines share measures leases
 * and due times by its own clock, so that a wrong clock cannot take a file from a live worker or before it is due.
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
  /** Whether content is stored. Called once the removal of leftovers can no longer remove content of these files. */
  readonly isStored?: ((sha256: Uint8Array) => boolean) | undefined;
}

/** The right to end one analysis. It is lost when another worker takes the file, or when the analysis ends. */
export interface Lease {
  readonly fileId: string;
  /** A unique random value. */
  readonly token: string;
}

/** Decides whose file is taken next. Organisations take turns, so that none waits for all files of another. */
export interface Turn {
  /** The organisation whose file was taken last; the next one in the order of identifiers goes first. */
  readonly after: string;
  /** Organisations whose files are being analysed; they go last. */
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
  /** How often the file was taken, including this time, without leases that were released. */
  attempts: number;
  /** Whether verification checks run: at this time, the organisation's setting is on and it has the feature. */
  verification_enabled: boolean;
  /** What prevents them otherwise. */
  checks_prevented_by?: ChecksPreventedBy;
}

/** An analysis that this call has ended. */
export interface EndedAnalysis extends FileOfCase {
  analysis_status: 'analysis_complete' | 'analysis_failed';
  from_cache: boolean;
}

/** All facts about a file and its analysis. These fields are null for an imported file, whose content is not stored. */
export interface FileAnalysis extends FileOfCase, Omit<FileSummary, 'thumbnail_url'> {
  /** 32 bytes. */
  content_sha256: Uint8Array | null;
  attempts: number | null;
  /** When it was last taken, or got a cached result; null until then. */
  started_at: string | null;
  /** Whether verification checks ran: the setting was on at that time, and the organisation had the feature. */
  verification_enabled: boolean | null;
  /** Whether it got the cached result of another file with the same content; null until it has ended. */
  from_cache: boolean | null;
  /** An `AnalysisResult` as JSON, byte for byte as saved; null unless the analysis is complete. */
  result: string | null;
  /** The responses of registries that were unavailable during the analysis; null before the first recheck. */
  later_evidence: Evidence[] | null;
  /** When the next recheck is due; null if there is none. */
  recheck_due_at: string | null;
  /** Null unless the analysis failed. */
  failure: AnalysisFailure | null;
}

export interface AnalysisStore {
  /**
   * Checks whether `addFiles` would currently accept files for a case.
   * @throws {NotFoundError} if no organisation has such a case; {ConflictError} if it is locked
   */
  requireUnlockedCase(caseId: string): Promise<void>;
  /**
   * Adds a file that is `waiting_for_upload` to a case. The case is updated at this time.
   * @throws {NotFoundError} and {ConflictError} as above, or if the identifier is taken
   */
  expectFile(expectation: { caseId: string; file: ExpectedFile; at: string }): Promise<void>;
  /**
   * Adds files to a case, all or none, as `waiting_for_analysis`. The case is updated at this time.
   * @throws {NotFoundError} and {ConflictError} as above; `place` then names a taken identifier, as in `[2].file_id`
   * @throws {NotAwaitedError} if one of the `awaited` files, which replace files that are `waiting_for_upload` and keep
   *   their labels, is not awaited
   * @throws {ContentSweptError} if content is no longer stored
   */
  addFiles(addition: FilesToAdd): Promise<void>;

  /**
   * Takes the organisation's earliest uploaded file that waits, or whose lease has expired or ends more than an hour
   * ahead, which only a wrong clock can cause. Undefined if no organisation has one. A file that needs no analysis ends
   * at once: with the cached result for its content (decision D27) if the evidence in it still counts, or as
   * `worker-lost` if it has already been taken `mostAttempts` times.
   */
  takeAnalysis(taking: Taking): Promise<TakenAnalysis | EndedAnalysis | undefined>;
  /** Renews a lease. False if it is lost. */
  renewLease(lease: Lease, time: LeaseTime): Promise<boolean>;
  /** Returns a file unanalysed: it waits again, and the attempt does not count. False if the lease is lost. */
  releaseLease(lease: Lease): Promise<boolean>;
  /**
   * Ends an analysis with its result and writes the audit entry. If it is `cacheable`, and neither the organisation's
   * setting nor its feature has changed since the file was taken, not even back and forth, the result is cached for
   * files with the same content. The file is rechecked after `recheckAfterMilliseconds`, or never. Undefined, with
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
  /** Ends an analysis without a result and writes the audit entry. Undefined, with nothing changed, if the lease is lost. */
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
export interface AbandonedRecheck extends Omit<FileOfCase, 'case_id'> {
  status: 'given_up';
}

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

/**
 * Rechecks ask registries again about a file if one was unavailable during its analysis. The result itself never
 * changes; later evidence is stored beside it.
 */
export interface RecheckStore {
  /** Takes, or abandons, the first due file of the organisation whose turn it is, after this one; undefined if none is due. */
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
  countRechecks(): Promise<number>;
  /** Deletes outdated results among the next cached ones. Returns where to continue, or undefined at the end. */
  pruneCachedResults(pruning: Pruning): Promise<{ deleted: number; next: CachedResultKey | undefined }>;
}
