/**
 * Analyses of files. A worker takes a file under a lease, which it renews while it works; another one takes the file when
 * the lease has expired. Times are by the caller's clock, but leases and due times by the clock of the store if several
 * machines share it.
 */
import { randomUUID } from 'node:crypto';
import {
  type AnalysisFailure,
  type AnalysisResult,
  type ChecksPreventedBy,
  type Evidence,
  mostAttempts,
} from '../../domain/analysis.ts';
import { verificationFeature } from '../../domain/organisation.ts';
import { count, first, required, run, type Statements } from '../statements.ts';
import { writeAuditEntry } from './organisations.ts';
import { countOf, currency, saveCachedResult } from './cached-results.ts';
import type { Part } from './dialect.ts';
import {
  type Lease,
  type LeaseTime,
  lockLeased,
  lockNext,
  longestLeaseMilliseconds,
  queued,
  type Turn,
} from './leases.ts';

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

/** A file and its analysis. The fields of the analysis are null for an imported file, whose content is not stored. */
export type FileAnalysis = Awaited<ReturnType<ReturnType<typeof analysisStore>['readAnalysis']>>;

/** A file whose analysis starts or ends: its status before, and whether verification checks ran when it was last taken. */
type AnalysedFile = FileOfCase & { analysis_status: string; verification_enabled: boolean | null };

interface Completion {
  readonly result: AnalysisResult;
  readonly cacheable: boolean;
  readonly at: string;
  readonly recheckAfterMilliseconds?: number | undefined;
}

/** JSON. */
type Outcome = { result: string } | { failure: string };

const workerLost: AnalysisFailure = {
  code: 'worker-lost',
  message: `The analysis was started ${mostAttempts} times, and each time its worker was lost.`,
};

export function analysisStore({ db, read, write, reads, writes, clock }: Part) {
  const analyses = queued(db, 'analysis');
  /** The analyses that can be taken. A lease that ends later than the longest possible one is invalid. */
  const toTake = (at: string) =>
    analyses
      .where('result', 'is', null)
      .where('failure', 'is', null)
      .where((is) =>
        is.or([
          is('lease_expires_at', 'is', null),
          is('lease_expires_at', '<=', clock(at)),
          is('lease_expires_at', '>', clock(at, longestLeaseMilliseconds)),
        ]),
      );

  const analysed = (fileId: string) =>
    db
      .selectFrom('analysis')
      .innerJoin('case_file', 'case_file.file_id', 'analysis.file_id')
      .select(['analysis.file_id', 'case_id', 'analysis.organisation_id', 'analysis_status', 'mime_type'])
      .select(['content_sha256', 'attempts', 'verification_enabled'])
      .where('analysis.file_id', '=', fileId);

  /** Locks the file of a lease until the end of the transaction; undefined if the lease is lost. */
  function* held(lease: Lease) {
    const isHeld = yield* lockLeased(analyses, lease);
    return isHeld && (yield* first(analysed(lease.fileId).select('verification_changes')));
  }

  const setAnalysis = (fileId: string) => db.updateTable('analysis').where('file_id', '=', fileId);
  const setFile = (fileId: string) => db.updateTable('case_file').where('file_id', '=', fileId);

  function* take(taking: Taking): Statements<TakenAnalysis | EndedAnalysis | undefined> {
    const { at, leaseMilliseconds, turn, askedSince } = taking;
    const next = yield* lockNext(toTake(at), 'uploaded_at', turn);
    const file = next && (yield* first(analysed(next.file_id)));
    if (!file) return undefined;
    const { file_id: fileId } = file;
    const { preventedBy, changes: verification_changes } = yield* holdSetting(db, file.organisation_id);
    const verification_enabled = preventedBy === undefined;
    const ofOwner = db.selectFrom('cached_analysis_result').where('organisation_id', '=', file.organisation_id);
    const cached = yield* first(ofOwner.where('content_sha256', '=', file.content_sha256).select('result'));
    const result = cached && (yield* currency(db, { at, askedSince }))(cached.result) ? cached.result : undefined;
    if (result === undefined && file.attempts >= mostAttempts)
      return yield* end(file, { failure: JSON.stringify(workerLost) }, at);
    yield* run(setAnalysis(fileId).set({ started_at: at, verification_enabled, verification_changes }));
    if (result !== undefined) return yield* end({ ...file, verification_enabled }, { result }, at, true);
    const lease = { fileId, token: randomUUID() };
    const attempts = file.attempts + 1;
    const expires = clock(at, leaseMilliseconds);
    yield* run(setAnalysis(fileId).set({ lease_token: lease.token, lease_expires_at: expires, attempts }));
    yield* run(setFile(fileId).set({ analysis_status: 'analysing', analysis_completed_at: null }));
    const prevented = preventedBy && { checks_prevented_by: preventedBy };
    return { ...file, analysis_status: 'analysing', attempts, verification_enabled, ...prevented, lease };
  }

  /** Saves the end of an analysis with its audit entry. */
  function* end(file: AnalysedFile, outcome: Outcome, at: string, from_cache = false): Statements<EndedAnalysis> {
    const { file_id, case_id, organisation_id } = file;
    const [analysis_status, action] =
      'result' in outcome
        ? (['analysis_complete', 'file.analysis.completed'] as const)
        : (['analysis_failed', 'file.analysis.failed'] as const);
    yield* run(setAnalysis(file_id).set({ ...outcome, from_cache, lease_token: null, lease_expires_at: null }));
    yield* run(setFile(file_id).set({ analysis_status, analysis_completed_at: at }));
    const verification_enabled = file.verification_enabled === true;
    yield* writeAuditEntry(db, {
      occurred_at: at,
      organisation_id,
      action,
      before: { analysis_status: file.analysis_status },
      after: { file_id, analysis_status, from_cache, verification_enabled },
      cleared: 0,
    });
    return { analysis_status, file_id, case_id, organisation_id, from_cache };
  }

  return {
    /**
     * Takes the organisation's earliest uploaded file that waits, or whose lease has expired or ends more than an hour
     * ahead, which only a wrong clock can cause. A file that needs no analysis ends at once: with the cached result for its
     * content (decision D27), or as `worker-lost` if it has already been taken `mostAttempts` times.
     */
    takeAnalysis: async (taking: Taking) => {
      // Polling takes no lock.
      const { at, turn: { only } = {} } = taking;
      const any = toTake(at).$if(only !== undefined, (query) => query.where('organisation_id', '=', String(only)));
      const found = await read(() => first(any.select('file_id').limit(1)));
      return found && write(() => take(taking));
    },

    ...writes({
      /** Renews a lease. False if it is lost. */
      *renewLease({ fileId, token }: Lease, { at, leaseMilliseconds }: LeaseTime) {
        const renewed = setAnalysis(fileId).set({ lease_expires_at: clock(at, leaseMilliseconds) });
        return (yield* count(renewed.where('lease_token', '=', token))) === 1;
      },

      /** Returns a file unanalysed: it waits again, and the attempt does not count. False if the lease is lost. */
      *releaseLease({ fileId, token }: Lease) {
        const released = setAnalysis(fileId)
          .where('lease_token', '=', token)
          .set((set) => ({ lease_token: null, lease_expires_at: null, attempts: set('attempts', '-', 1) }));
        if ((yield* count(released)) === 0) return false;
        yield* run(setFile(fileId).set({ analysis_status: 'waiting_for_analysis' }));
        return true;
      },

      /**
       * Ends an analysis with its result and an audit entry. If it is `cacheable`, and neither the organisation's setting nor
       * its feature has changed since the file was taken, not even back and forth, the result is cached. Undefined, with
       * nothing changed, if the lease is lost.
       */
      *completeAnalysis(lease: Lease, { result, cacheable, at, recheckAfterMilliseconds }: Completion) {
        const file = yield* held(lease);
        if (!file) return undefined;
        const { file_id, organisation_id, content_sha256 } = file;
        const text = JSON.stringify(result);
        const { changes } = yield* holdSetting(db, organisation_id);
        const ended = yield* end(file, { result: text }, at);
        if (recheckAfterMilliseconds !== undefined) {
          const due_at = clock(at, recheckAfterMilliseconds);
          yield* run(db.insertInto('evidence_recheck').values({ file_id, organisation_id, due_at }));
        }
        // Last, because other transactions may wait for this row: after it, this transaction takes no more locks.
        if (cacheable && changes === file.verification_changes)
          yield* saveCachedResult(db, { organisation_id, content_sha256, result: text, created_at: at });
        return ended;
      },

      /** Ends an analysis without a result, likewise. */
      *failAnalysis(lease: Lease, { failure, at }: { failure: AnalysisFailure; at: string }) {
        const file = yield* held(lease);
        return file && (yield* end(file, { failure: JSON.stringify(failure) }, at));
      },
    }),

    ...reads({
      /** @throws {NotFoundError} if no case has such a file */
      *readAnalysis(fileId: string) {
        const file = db
          .selectFrom('case_file as f')
          .innerJoin('case_record as c', 'c.case_id', 'f.case_id')
          .leftJoin('analysis as a', 'a.file_id', 'f.file_id')
          .leftJoin('evidence_recheck as r', 'r.file_id', 'f.file_id')
          .select(['f.file_id', 'f.case_id', 'c.organisation_id', 'f.label', 'mime_type', 'f.uploaded_at'])
          .select(['analysis_status', 'analysis_completed_at', 'content_sha256', 'a.attempts', 'started_at'])
          .select(['a.verification_enabled', 'from_cache', 'result', 'failure', 'later_evidence'])
          .select('r.due_at as recheck_due_at')
          .where('f.file_id', '=', fileId);
        const row = yield* required(file, 'file', fileId);
        const failure = JSON.parse(row.failure ?? 'null') as AnalysisFailure | null;
        return { ...row, failure, later_evidence: JSON.parse(row.later_evidence ?? 'null') as Evidence[] | null };
      },

      /** How many files `takeAnalysis` could take at this time. */
      countWaitingAnalyses: (at: string) => countOf(toTake(at)),
    }),
  };
}

/** Reads an organisation's setting and feature, and locks them against changes until the end of the transaction. */
export function* holdSetting(
  db: Part['db'],
  organisationId: string,
): Statements<{ preventedBy: ChecksPreventedBy | undefined; changes: number | undefined }> {
  const organisation = db.selectFrom('organisation as o').where('o.organisation_id', '=', organisationId);
  yield* run(organisation.select('o.organisation_id').forKeyShare());
  // Separate from the lock, because a statement that has waited for a lock reads other tables from its older snapshot.
  const setting = yield* first(
    organisation
      .leftJoin('organisation_feature as f', (join) =>
        join.onRef('f.organisation_id', '=', 'o.organisation_id').on('feature', '=', verificationFeature),
      )
      .select(['verification_enabled', 'verification_changes', 'feature']),
  );
  const withoutFeature = setting?.feature === verificationFeature ? undefined : 'feature';
  // A setting that is off comes first, because a change of the feature clears cached results only while it is on.
  const preventedBy = setting?.verification_enabled === true ? withoutFeature : 'setting';
  return { preventedBy, changes: setting?.verification_changes };
}
