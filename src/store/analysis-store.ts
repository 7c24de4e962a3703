/**
 * The part of the store for adding files and analysing them. A file with content waits until a worker takes it with a
 * lease, which the worker renews while it works. The file of a worker that has died is taken again when its lease expires.
 * Each method is one transaction. Times are ISO 8601 in UTC with milliseconds, of the caller's clock. A store that several
 * machines share measures leases and due times by its own clock, so that a wrong clock neither takes a file from a living
 * worker nor takes it before it is due.
 */
import type { AnalysisFailure, AnalysisResult, Evidence } from '../domain/analysis.ts';
import type { FileSummary } from '../domain/case.ts';

/** A file whose content is here, to be added to a case. */
export type NewFile = Pick<FileSummary, 'file_id' | 'label' | 'uploaded_at' | 'thumbnail_url' | 'mime_type'> & {
  /** 32 bytes. */
  content_sha256: Uint8Array;
};

/** A file that waits for its upload. Its time is when it was created; its media type is not known yet. */
export type ExpectedFile = Omit<NewFile, 'content_sha256'>;

/** Files, and the case that they are added to. */
export interface FilesToAdd {
  readonly caseId: string;
  readonly files: readonly NewFile[];
  readonly at: string;
  /** Whether they are the uploads of files in the case that wait for them. */
  readonly awaited?: boolean;
  /** Whether content is stored. It is called once the content of these files can no longer be removed as a leftover. */
  readonly isStored?: ((sha256: Uint8Array) => boolean) | undefined;
}

/** The right to end one analysis. It is lost when another worker takes the file, or when the analysis ends. */
export interface Lease {
  readonly fileId: string;
  /** Random and unique. */
  readonly token: string;
}

/** Whose file is taken next. Organisations take turns, so that none waits for all files of another. */
export interface Turn {
  /** The organisation whose file was taken last. The next one, in the order of identifiers, goes first. */
  readonly after: string;
  /** The organisations whose files are being analysed. They go last. */
  readonly busy: readonly string[];
}

/** When a lease starts, and how long it lasts. */
export interface LeaseTime {
  /** The caller's time, for a store without its own clock. */
  readonly at: string;
  readonly leaseMilliseconds: number;
}

/** The parameters of taking a file. Without a turn, the first organisation goes first. */
export interface Taking extends LeaseTime {
  readonly turn?: Turn;
  /**
   * A cached result with evidence from a registry without editions counts if the registry was asked at this time or later.
   * If omitted, no such result counts.
   */
  readonly askedSince?: string;
}

/** A file that a worker has to analyse now. */
export interface TakenAnalysis {
  analysis_status: 'analysing';
  lease: Lease;
  file_id: string;
  case_id: string;
  organisation_id: string;
  mime_type: string;
  content_sha256: Uint8Array;
  /** How often it was taken, with this time; a lease that was given back does not count. */
  attempts: number;
  /** Whether verification checks run: the organisation's setting is on at this moment, and it has the feature. */
  verification_enabled: boolean;
}

/** An analysis that has ended, by the call that saves it. */
export interface EndedAnalysis {
  analysis_status: 'analysis_complete' | 'analysis_failed';
  file_id: string;
  case_id: string;
  organisation_id: string;
  from_cache: boolean;
}

/** All that is known of a file and its analysis. Of an imported file, whose content is not here, the lower half is null. */
export interface FileAnalysis {
  file_id: string;
  case_id: string;
  organisation_id: string;
  label: string;
  mime_type: string;
  uploaded_at: string;
  analysis_status: string;
  analysis_completed_at: string | null;

  /** 32 bytes. */
  content_sha256: Uint8Array | null;
  attempts: number | null;
  /** When it was taken last, or given a cached result; null until then. */
  started_at: string | null;
  /** Whether verification checks ran: the setting was on at that time, and the organisation had the feature. */
  verification_enabled: boolean | null;
  /** Whether it was given the result of another file with the same content; null until it has ended. */
  from_cache: boolean | null;
  /** An `AnalysisResult` as JSON, byte for byte as it was saved; null unless it is complete. */
  result: string | null;
  /** The responses of registries that were unavailable during the analysis; null if they were not asked again yet. */
  later_evidence: Evidence[] | null;
  /** When they are asked again; null if they are not. */
  recheck_due_at: string | null;
  /** Null unless it failed. */
  failure: AnalysisFailure | null;
}

export interface AnalysisStore {
  /**
   * Tells whether `addFiles` would take files for a case now, however many the case has.
   * @throws {NotFoundError} if no organisation has such a case
   * @throws {ConflictError} if the case is locked
   */
  requireUnlockedCase(caseId: string): Promise<void>;
  /**
   * Adds a file to a case that is `waiting_for_upload`. The case is updated at this time.
   * @throws {NotFoundError} if no organisation has such a case
   * @throws {ConflictError} if the case is locked, or if the identifier is taken
   */
  expectFile(expectation: { caseId: string; file: ExpectedFile; at: string }): Promise<void>;
  /**
   * Adds files to a case, all or none; each is `waiting_for_analysis`. The case is updated at this time.
   * @throws {NotFoundError} if no organisation has such a case
   * @throws {ConflictError} if the case is locked; or if an identifier is taken, and its `place` names it, as in `[2].file_id`
   * @throws {NotAwaitedError} if they are `awaited`, to take the places of files of the case that are `waiting_for_upload`
   *   and keep their labels, and one is not
   * @throws {ContentSweptError} if content is not in its place
   */
  addFiles(addition: FilesToAdd): Promise<void>;

  /**
   * Takes the file of an organisation that was uploaded first of those that wait and those whose lease has run out, or
   * would run for more than an hour yet, which a wrong clock alone can say; undefined if no organisation has one. Where nothing is to be analysed,
   * the file is ended at once: with the cached result for its content (decision D27) if the evidence in it still counts, or as `worker-lost` if it was
   * taken `mostAttempts` times already.
   */
  takeAnalysis(taking: Taking): Promise<TakenAnalysis | EndedAnalysis | undefined>;
  /** Prolongs a lease. False if it is lost. */
  renewLease(lease: Lease, time: LeaseTime): Promise<boolean>;
  /** Gives a file back untouched: it waits again, and the attempt does not count. False if the lease is lost. */
  releaseLease(lease: Lease): Promise<boolean>;
  /**
   * Ends an analysis with its result and writes the audit entry. If it is `cacheable`, and the organisation's setting was
   * not changed since it was taken, nor its feature, not even there and back, the result is cached for files of the same content.
   * Registries are asked again about the file after `recheckAfterMilliseconds`, or never. Undefined if the lease is lost;
   * then nothing is changed.
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
  /** Ends an analysis without a result and writes the audit entry. Undefined if the lease is lost; then nothing is changed. */
  failAnalysis(lease: Lease, failing: { failure: AnalysisFailure; at: string }): Promise<EndedAnalysis | undefined>;

  /** @throws {NotFoundError} if no case has such a file */
  readAnalysis(fileId: string): Promise<FileAnalysis>;
  /** How many files `takeAnalysis` would take one after the other at this time. */
  countWaitingAnalyses(at: string): Promise<number>;
}
