import { type Compilable, sql } from 'kysely';
import type { AnalysisResult } from '../../domain/analysis.ts';
import type { Database, Part } from './dialect.ts';
import { all, count, first, run, type Statements } from '../statements.ts';
import { latestLeaseEnd } from './leases.ts';
import { requireOrganisation } from './organisations.ts';
import { currentEditions } from './registers.ts';

type CachedRow = Database['cached_analysis_result'];

export type CachedAnalysisResult = Omit<CachedRow, 'result'> & { result: Record<string, unknown> };

export type CachedResultKey = readonly [organisationId: string, contentSha256: Uint8Array];

export interface Pruning {
  readonly at: string;
  /** As in `Taking`. */
  readonly askedSince: string;
  readonly after?: CachedResultKey | undefined;
  readonly limit: number;
}

export const countRows = sql<number>`CAST(count(*) AS integer)`.as('rows');

export function* countOf(query: {
  select: (count: typeof countRows) => Compilable<{ rows: number }>;
}): Statements<number> {
  return (yield* first(query.select(countRows)))?.rows ?? 0;
}

export function cachedResultStore({ db, reads, writes }: Part) {
  const firstKey: CachedResultKey = ['', new Uint8Array()];
  return {
    ...reads({
      countCachedAnalysisResults: (organisationId: string) =>
        countOf(db.selectFrom('cached_analysis_result').where('organisation_id', '=', organisationId)),
    }),

    ...writes({
      /** Replaces an earlier result for the same content. @throws {NotFoundError} if there is no such organisation */
      *saveCachedAnalysisResult(cached: CachedAnalysisResult) {
        yield* requireOrganisation(db, cached.organisation_id);
        yield* saveCachedResult(db, { ...cached, result: JSON.stringify(cached.result) });
      },

      /** Deletes outdated results among the next cached ones. Returns where to continue, or undefined at the end. */
      *pruneCachedResults({ after = firstKey, limit, ...judging }: Pruning) {
        const remaining = db
          .selectFrom('cached_analysis_result')
          .where((is) => is(is.refTuple('organisation_id', 'content_sha256'), '>', is.tuple(...after)));
        const inOrder = remaining.orderBy('organisation_id').orderBy('content_sha256').limit(limit);
        const rows = yield* all(inOrder.select(['organisation_id', 'content_sha256', 'result']));
        const isCurrent = yield* currency(db, judging);
        let deleted = 0;
        for (const { organisation_id: id, content_sha256: sha256, result } of rows)
          if (!isCurrent(result)) {
            const cached = db.deleteFrom('cached_analysis_result').where('organisation_id', '=', id);
            // Does not delete a result that has replaced the outdated one in the meantime.
            deleted += yield* count(cached.where('content_sha256', '=', sha256).where('result', '=', result));
          }
        const last = rows.length < limit ? undefined : rows.at(-1);
        const next: CachedResultKey | undefined = last && [last.organisation_id, last.content_sha256];
        return { deleted, next };
      },
    }),
  };
}

/** Caches a result, instead of an earlier one for the same content. */
export function* saveCachedResult(db: Part['db'], cached: CachedRow): Statements<void> {
  const { result, created_at } = cached;
  const added = db.insertInto('cached_analysis_result').values(cached);
  yield* run(
    added.onConflict((held) => held.columns(['organisation_id', 'content_sha256']).doUpdateSet({ result, created_at })),
  );
}

/**
 * Decides whether a cached result still counts, by the evidence in it: from an imported register until the next edition;
 * from an API, or of the lack of a configured registry, if requested since `askedSince`, and not after any clock. A result
 * without evidence always counts, as does evidence about numbers that no public register lists. Evidence saved by a
 * release that did not record editions never counts.
 */
export function* currency(
  db: Part['db'],
  { at, askedSince = latestLeaseEnd(at) }: { at: string; askedSince?: string | undefined },
): Statements<(result: string) => boolean> {
  const editions = yield* currentEditions(db);
  const askedUntil = latestLeaseEnd(at);
  return (result) => {
    const { evidence } = JSON.parse(result) as Partial<AnalysisResult>;
    return (evidence ?? []).every(({ verdict, edition, asked_at: askedAt }) => {
      if (verdict === 'no_public_register') return true;
      return edition === null ? askedSince <= askedAt && askedAt <= askedUntil : editions.includes(edition);
    });
  };
}
