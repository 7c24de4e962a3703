/**
 * What adding files and analysing them asks of the store. A file with content waits until a worker takes it with a lease,
 * which the worker renews while it works: what a worker holds that has died is taken up again when its lease has run out.
 * Each method is one transaction; times are ISO 8601 in UTC with milliseconds, of the caller's clock. A store that several
 * machines share measures leases, and when a file is due again, by a clock of its own, so that no wrong clock takes a file
 * from a worker that lives, or before it is due.
 */
import type { AnalysisFailure, AnalysisResult, Evidence } from '../domain/analysis.ts';
import type { FileSummary } from '../domain/case.ts';

/** A file whose content is here, to be added to a case. */
export type NewFile = Pick<FileSummary, 'file_id' | 'label' | 'uploaded_at' | 'thumbnail_url' | 'mime_type'> & {
  /** 32 bytes. */
  content_sha256: Uint8Array;
};

/** A file that waits for its upload: its time is that of the expectation, its media type is not known yet. */
export type ExpectedFile = Omit<NewFile, 'content_sha256'>;

/** Files, and the case that they are added to. */
export interface FilesToAdd {
  readonly caseId: string;
  readonly files: readonly NewFile[];
  readonly at: string;
  /** Whether they take the places of files of the case that wait for their upload. */
  readonly awaited?: boolean;
  /** Whether content is in its place. It is asked when no content of these files is removed as a leftover any more. */
  readonly isStored?: ((sha256: Uint8Array) => boolean) | undefined;
}

/** The right to end one analysis; it is lost when another worker takes the file, or when the analysis has ended. */
export interface Lease {
  readonly fileId: string;
  /** A random value that nobody else has. */
  readonly token: string;
}

/** Whose file is taken next. Organisations take turns, so that none waits for all files of another one. */
export interface Turn {
  /** The one whose file was taken last; the next one, in the order of their identifiers, goes first. */
  readonly after: string;
  /** Those that have files in hand go last. */
  readonly busy: readonly string[];
}

/** From when on a lease runs, and how long. */
export interface LeaseTime {
  /** The caller's time, by which a store measures that has no clock of its own. */
  readonly at: string;
  readonly leaseMilliseconds: number;
}

/** What taking a file needs; without a turn, the first organisation goes first. */
export interface Taking extends LeaseTime {
  readonly turn?: Turn;
  /**
   * A cached result counts if what it holds of a registry without editions was asked for at this time or later. If it is
   * left out, no such result counts.
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
