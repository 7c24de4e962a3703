import { describe, expect, test } from '@jest/globals';
import type { Evidence } from '../../../src/domain/analysis.ts';
import type { Store } from '../../../src/store/store.ts';
import type { RegisterName } from '../../../src/store/staged-imports.ts';
import { importRegister } from './fixtures.ts';
import * as fixtures from './analysis-fixtures.ts';

const { caseFixture, ended, newFile, noTime, resultOf, take, taken } = fixtures;

const evidenceOf = (edition: string | null, askedAt = taken) => fixtures.evidenceOf('01234567', askedAt, { edition });

export function describeCachedEvidence(store: () => Store): void {
  /** Imports a register, and gives its edition. */
  const importEdition = async (register: RegisterName = 'uk-companies', meanwhile?: () => unknown) => {
    await importRegister(store(), [], { register, at: ended }, meanwhile);
    return String(await store().readCompanyRegisterEdition(register));
  };
  const cache = async (...evidence: Evidence[]) => {
    const fixture = await caseFixture(store());
    const [first = ''] = await fixture.add(newFile('same'));
    const { lease } = await take(store());
    await store().completeAnalysis(lease, { result: { ...resultOf(1), evidence }, cacheable: true, at: ended });
    return { ...fixture, first };
  };
  const again = async ({ add }: Pick<Awaited<ReturnType<typeof caseFixture>>, 'add'>, askedSince?: string) => {
    await add(newFile('same'));
    const taking = { at: '2026-03-02T12:02:00.000Z', leaseMilliseconds: noTime };
    return store().takeAnalysis(askedSince === undefined ? taking : { ...taking, askedSince });
  };
  const fromCache = { analysis_status: 'analysis_complete', from_cache: true };
  const afresh = { analysis_status: 'analysing' };

  describe('the edition of the register', () => {
    test('is none before the first import, and another one after each import, also at the same time', async () => {
      expect(await store().readCompanyRegisterEdition()).toBeUndefined();
      const editions = [await importEdition(), await importEdition()];
      for (const edition of editions) expect(edition).toMatch(/^import \d+ of 2026-03-02T12:01:30\.000Z$/);
      expect(new Set(editions).size).toBe(2);
    });

    test('is one of its own for each register', async () => {
      const edition = await importEdition();
      expect(await store().readCompanyRegisterEdition('ca-corporations')).toBeUndefined();
      const other = await importEdition('ca-corporations');
      expect(await store().readCompanyRegisterEdition()).toBe(edition);
      expect([other, other === edition]).toEqual([expect.stringMatching(/^import \d+ of /), false]);
      expect(await again(await cache(evidenceOf(edition), evidenceOf(other)))).toMatchObject(fromCache);
    });

    test('stays while an import is in progress, and when it is given up', async () => {
      const edition = await importEdition();
      const abandoned = importEdition('uk-companies', async () => {
        expect(await store().readCompanyRegisterEdition()).toBe(edition);
        throw new Error('given up');
      });
      await expect(abandoned).rejects.toThrow('given up');
      expect(await store().readCompanyRegisterEdition()).toBe(edition);
    });
  });

  describe('a cached result with evidence', () => {
    test('of an imported register counts, however old, until another import has taken its place', async () => {
      const edition = await importEdition();
      const fixture = await cache(evidenceOf(edition, '2016-01-01T00:00:00.000Z'));
      const before = await store().readAnalysis(fixture.first);
      expect(await again(fixture)).toMatchObject(fromCache);
      await importEdition('uk-companies', async () => {
        expect(await again(fixture)).toMatchObject(fromCache);
      });
      expect(await again(fixture)).toMatchObject(afresh);
      expect(await store().readAnalysis(fixture.first)).toEqual(before);
    });

    test('of an import that ended while the file was analysed never counts', async () => {
      const edition = await importEdition();
      const fixture = await caseFixture(store());
      await fixture.add(newFile('same'));
      const { lease } = await take(store());
      await importEdition();
      const result = { ...resultOf(1), evidence: [evidenceOf(edition)] };
      await store().completeAnalysis(lease, { result, cacheable: true, at: ended });
      expect(await again(fixture)).toMatchObject(afresh);
    });

    const [longAgo, future] = ['2016-01-01T00:00:00.000Z', '2036-03-02T12:00:00.000Z'];
    const ofNoRegister: Evidence = { ...evidenceOf(null, longAgo), verdict: 'no_public_register' };
    const withoutEdition = { ...evidenceOf(null), edition: undefined } as unknown as Evidence;
    const cases: [string, askedSince: string | undefined, counts: boolean, ...((edition: string) => Evidence)[]][] = [
      ['of a registry without editions counts for so long', taken, true, () => evidenceOf(null)],
      ['of a registry without editions is too old', '2026-03-02T12:01:00.001Z', false, () => evidenceOf(null)],
      ['of a registry without editions does not count without an age', undefined, false, () => evidenceOf(null)],
      ['of the future, by a wrong clock, does not count', taken, false, () => evidenceOf(null, future)],
      ['of a number that is in no public register counts, however old', ended, true, () => ofNoRegister],
      ['counts only if all of it does', ended, false, evidenceOf, () => evidenceOf(null)],
      ['of another edition does not count', undefined, false, evidenceOf, () => evidenceOf('import 0 of never')],
      ['of a release that named no edition does not count', taken, false, () => withoutEdition],
    ];
    test.each(cases)('%s', async (_, askedSince, counts, ...evidence) => {
      const edition = await importEdition();
      const fixture = await cache(...evidence.map((of) => of(edition)));
      expect(await again(fixture, askedSince)).toMatchObject(counts ? fromCache : afresh);
    });

    test('is replaced by the result of the analysis that follows', async () => {
      const fixture = await cache(evidenceOf(await importEdition()));
      const edition = await importEdition();
      await again(fixture);
      const { lease } = await take(store(), '2026-03-02T12:03:00.000Z');
      const result = { ...resultOf(2), evidence: [evidenceOf(edition)] };
      await store().completeAnalysis(lease, { result, cacheable: true, at: ended });
      expect(await again(fixture)).toMatchObject(fromCache);
      expect(await store().countCachedAnalysisResults(fixture.organisationId)).toBe(1);
    });
  });
}
