import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type AnalysisResult, type Evidence, evidenceNow, isProvisional, mostRechecks } from '../../domain/analysis.ts';
import type { Lease, RecheckStore, TakenRecheck } from '../analysis-store.ts';
import { first, run, type Statements } from '../statements.ts';
import { checksRun, holdSetting } from './analyses.ts';
import { writeAuditEntry } from './audit.ts';
import { countOf, saveCachedResult } from './cached-results.ts';
import type { Part } from './dialect.ts';
import { firstInTurn } from './leases.ts';

/** A file that is due for a recheck, or held for one. */
interface Recheck extends Omit<TakenRecheck, 'status' | 'lease' | 'later_evidence'> {
  /** JSON. */
  later_evidence: string | null;
  /** Whether verification checks still run for the organisation, and its setting is unchanged since the analysis. */
  wanted: boolean;
}

export function recheckStore({ db, read, write, clock }: Part) {
  const due = (at: string) => db.selectFrom('evidence_recheck').where('due_at', '<=', clock(at));
  const update = (fileId: string) => db.updateTable('evidence_recheck').where('file_id', '=', fileId);
  const end = (fileId: string) => db.deleteFrom('evidence_recheck').where('file_id', '=', fileId);

  /** Reads a recheck, and locks the organisation's setting until the end of the transaction. */
  function* withSetting(
    locked: { file_id: string; organisation_id: string } | undefined,
  ): Statements<Recheck | undefined> {
    if (!locked) return undefined;
    yield* holdSetting(db, locked.organisation_id);
    const wanted = `(SELECT ${checksRun} AND o.verification_changes = a.verification_changes
      FROM organisation o WHERE o.organisation_id = r.organisation_id)`;
    return yield* first(
      db
        .selectFrom('evidence_recheck as r')
        .innerJoin('analysis as a', 'a.file_id', 'r.file_id')
        .innerJoin('case_file as f', 'f.file_id', 'r.file_id')
        .select(['r.file_id', 'r.organisation_id', 'r.attempts', 'f.mime_type', 'a.content_sha256', 'later_evidence'])
        .select((query) => query.ref('a.result').$castTo<string>().as('result'))
        .select(sql.raw<boolean>(wanted).as('wanted'))
        .where('r.file_id', '=', locked.file_id),
    );
  }

  function* holdDue(at: string, after: string): Statements<Recheck | undefined> {
    const locked = yield* firstInTurn({ after, busy: [] }, (from, to) => {
      const inTurn = due(at).where('organisation_id', '>', from).where('organisation_id', '<', to);
      const earliest = inTurn.orderBy('organisation_id').orderBy('due_at').orderBy('file_id').limit(1);
      // Skips a file that another worker is taking.
      return earliest.select(['file_id', 'organisation_id']).forUpdate().skipLocked();
    });
    return yield* withSetting(locked);
  }

  /** Locks the file of a lease until the end of the transaction; undefined if the lease is lost. */
  function* hold({ fileId, token }: Lease): Statements<Recheck | undefined> {
    const held = db.selectFrom('evidence_recheck').where('file_id', '=', fileId).where('lease_token', '=', token);
    return yield* withSetting(yield* first(held.select(['file_id', 'organisation_id']).forUpdate()));
  }

  return {
    takeRecheck: async ({ at, after, leaseMilliseconds }) => {
      // Polling takes no lock.
      if (!(await read(() => first(due(at).select('file_id').limit(1))))) return undefined;
      return write(function* () {
        const found = yield* holdDue(at, after);
        if (!found) return undefined;
        const { wanted, ...file } = found;
        const { file_id, organisation_id } = file;
        if (!wanted || file.attempts >= mostRechecks) {
          yield* run(end(file_id));
          return { status: 'given_up' as const, file_id, organisation_id };
        }
        const lease = { fileId: file_id, token: randomUUID() };
        const attempts = file.attempts + 1;
        yield* run(update(file_id).set({ lease_token: lease.token, due_at: clock(at, leaseMilliseconds), attempts }));
        return { ...file, status: 'taken' as const, attempts, later_evidence: evidenceOf(file), lease };
      });
    },

    renewRecheck: (lease, { at, leaseMilliseconds }) =>
      write(function* () {
        const held = (yield* hold(lease))?.wanted === true;
        if (held) yield* run(update(lease.fileId).set({ due_at: clock(at, leaseMilliseconds) }));
        return held;
      }),

    releaseRecheck: ({ fileId, token }, at) =>
      write(function* () {
        const released = update(fileId).where('lease_token', '=', token);
        yield* run(
          released.set((set) => ({ lease_token: null, due_at: clock(at), attempts: set('attempts', '-', 1) })),
        );
      }),

    saveRecheck: (lease, { laterEvidence: later, dueAfterMilliseconds, at }) =>
      write(function* () {
        const file = yield* hold(lease);
        if (!file) return undefined;
        const { file_id, organisation_id, content_sha256 } = file;
        if (!file.wanted) {
          yield* run(end(file_id));
          return 'given_up';
        }
        const result = JSON.parse(file.result) as AnalysisResult;
        const openWith = (evidence: readonly Evidence[]) =>
          evidenceNow(result.evidence ?? [], evidence).filter(isProvisional).length;
        const [before, unavailable] = [openWith(evidenceOf(file)), openWith(later)];
        const responded = unavailable < before;
        if (dueAfterMilliseconds === undefined) yield* run(end(file_id));
        else
          yield* run(
            update(file_id)
              .set({ lease_token: null, due_at: clock(at, dueAfterMilliseconds) })
              .$if(responded, (postponed) => postponed.set({ attempts: 0 })),
          );
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
        const whole = JSON.stringify({ ...result, evidence: evidenceNow(result.evidence ?? [], later) });
        // Last, because other transactions may wait for this row: after it, this transaction takes no more locks.
        yield* saveCachedResult(db, { organisation_id, content_sha256, result: whole, created_at: at });
        return 'saved';
      }),

    countRechecks: () => read(() => countOf(db.selectFrom('evidence_recheck'))),
  } satisfies Partial<RecheckStore>;
}

function evidenceOf({ later_evidence: text }: Pick<Recheck, 'later_evidence'>): Evidence[] {
  return text === null ? [] : (JSON.parse(text) as Evidence[]);
}
