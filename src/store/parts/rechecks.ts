/**
 * Rechecks ask registries again about a file if one was unavailable during its analysis. The result itself never changes;
 * later evidence is stored beside it.
 */
import { randomUUID } from 'node:crypto';
import type { NotNull } from 'kysely';
import { type AnalysisResult, type Evidence, evidenceNow, isProvisional, mostRechecks } from '../../domain/analysis.ts';
import { first, required, run, type Statements } from '../statements.ts';
import { holdSetting } from './analyses.ts';
import { writeAuditEntry } from './organisations.ts';
import { countOf, saveCachedResult } from './cached-results.ts';
import type { Part } from './dialect.ts';
import { type Lease, type LeaseTime, lockLeased, lockNext, queued } from './leases.ts';

export interface TakenRecheck {
  status: 'taken';
  lease: Lease;
  file_id: string;
  organisation_id: string;
  mime_type: string;
  content_sha256: Uint8Array;
  /** Since a registry last responded, including this one. */
  attempts: number;
  /** An `AnalysisResult` as JSON. */
  result: string;
  later_evidence: Evidence[];
}

/** A recheck that was tried `mostRechecks` times, or of an organisation whose setting or feature has changed since then. */
export type AbandonedRecheck = Pick<TakenRecheck, 'file_id' | 'organisation_id'> & { status: 'given_up' };

interface Saving {
  readonly laterEvidence: readonly Evidence[];
  readonly dueAfterMilliseconds: number | undefined;
  readonly at: string;
}

export function recheckStore({ db, read, write, reads, writes, clock }: Part) {
  const rechecks = queued(db, 'evidence_recheck');
  const due = (at: string) => rechecks.where('due_at', '<=', clock(at));
  const update = (fileId: string) => db.updateTable('evidence_recheck').where('file_id', '=', fileId);
  const end = (fileId: string) => db.deleteFrom('evidence_recheck').where('file_id', '=', fileId);

  /**
   * Reads a file that is locked, and locks the organisation's setting too. It is wanted if verification checks still run
   * for the organisation, and its setting is unchanged since the analysis.
   */
  function* hold(locking: ReturnType<typeof lockNext>) {
    const locked = yield* locking;
    if (!locked) return undefined;
    const { preventedBy, changes } = yield* holdSetting(db, locked.organisation_id);
    const analysed = db
      .selectFrom('evidence_recheck as r')
      .innerJoin('analysis as a', 'a.file_id', 'r.file_id')
      .innerJoin('case_file as f', 'f.file_id', 'r.file_id')
      .select(['r.file_id', 'r.organisation_id', 'r.attempts', 'f.mime_type', 'a.content_sha256'])
      .select(['a.result', 'later_evidence', 'verification_changes'])
      .$narrowType<{ result: NotNull }>()
      .where('r.file_id', '=', locked.file_id);
    const { verification_changes: changesThen, ...file } = yield* required(analysed, 'file', locked.file_id);
    const later_evidence = JSON.parse(file.later_evidence ?? '[]') as Evidence[];
    return { file: { ...file, later_evidence }, wanted: preventedBy === undefined && changes === changesThen };
  }

  function* take(time: LeaseTime & { after: string }): Statements<TakenRecheck | AbandonedRecheck | undefined> {
    const { at, after, leaseMilliseconds } = time;
    const held = yield* hold(lockNext(due(at), 'due_at', { after, busy: [] }));
    if (!held) return undefined;
    const { file, wanted } = held;
    const { file_id, organisation_id } = file;
    if (!wanted || file.attempts >= mostRechecks) {
      yield* run(end(file_id));
      return { status: 'given_up', file_id, organisation_id };
    }
    const lease = { fileId: file_id, token: randomUUID() };
    const attempts = file.attempts + 1;
    yield* run(update(file_id).set({ lease_token: lease.token, due_at: clock(at, leaseMilliseconds), attempts }));
    return { ...file, status: 'taken', attempts, lease };
  }

  return {
    /** Takes, or abandons, the first due file of the organisation whose turn it is, after this one. */
    takeRecheck: async (taking: LeaseTime & { after: string }) => {
      // Polling takes no lock.
      const found = await read(() => first(due(taking.at).select('file_id').limit(1)));
      return found && write(() => take(taking));
    },

    ...writes({
      /** Renews a lease. False if it is lost, or the recheck is no longer permitted. */
      *renewRecheck(lease: Lease, { at, leaseMilliseconds }: LeaseTime) {
        const wanted = (yield* hold(lockLeased(rechecks, lease)))?.wanted === true;
        if (wanted) yield* run(update(lease.fileId).set({ due_at: clock(at, leaseMilliseconds) }));
        return wanted;
      },

      /** Returns a file at this time: it is due at once, and the attempt does not count. */
      *releaseRecheck({ fileId, token }: Lease, at: string) {
        const released = update(fileId).where('lease_token', '=', token);
        yield* run(
          released.set((set) => ({ lease_token: null, due_at: clock(at), attempts: set('attempts', '-', 1) })),
        );
      },

      /**
       * Saves all later evidence, with an audit entry if there is more than before; if no question is open, the result with
       * it is cached. Nothing is saved if the lease is lost (undefined) or the recheck is no longer permitted (`given_up`).
       */
      *saveRecheck(
        lease: Lease,
        { laterEvidence: later, dueAfterMilliseconds, at }: Saving,
      ): Statements<'saved' | 'given_up' | undefined> {
        const held = yield* hold(lockLeased(rechecks, lease));
        if (!held) return undefined;
        const { file_id, organisation_id, content_sha256, ...file } = held.file;
        if (!held.wanted) {
          yield* run(end(file_id));
          return 'given_up';
        }
        const result = JSON.parse(file.result) as AnalysisResult;
        const evidenceWith = (evidence: readonly Evidence[]) => evidenceNow(result.evidence ?? [], evidence);
        const openWith = (evidence: readonly Evidence[]) => evidenceWith(evidence).filter(isProvisional).length;
        const [before, unavailable] = [openWith(file.later_evidence), openWith(later)];
        const responded = unavailable < before;
        if (dueAfterMilliseconds === undefined) yield* run(end(file_id));
        else {
          const postponed = { lease_token: null, due_at: clock(at, dueAfterMilliseconds) };
          yield* run(update(file_id).set({ ...postponed, ...(responded && { attempts: 0 }) }));
        }
        if (!responded) return 'saved';
        const later_evidence = JSON.stringify(later);
        yield* run(db.updateTable('analysis').set({ later_evidence }).where('file_id', '=', file_id));
        yield* writeAuditEntry(db, {
          occurred_at: at,
          organisation_id,
          action: 'file.evidence.added',
          before: { unavailable: before },
          after: { file_id, unavailable },
          cleared: 0,
        });
        if (unavailable > 0) return 'saved';
        const whole = JSON.stringify({ ...result, evidence: evidenceWith(later) });
        // Last, because other transactions may wait for this row: after it, this transaction takes no more locks.
        yield* saveCachedResult(db, { organisation_id, content_sha256, result: whole, created_at: at });
        return 'saved';
      },
    }),

    ...reads({ countRechecks: () => countOf(rechecks) }),
  };
}
