import { describe, expect, test } from '@jest/globals';
import type { Evidence } from '../../../src/domain/analysis.ts';
import type { Store } from '../../../src/store/store.ts';
import { caseFixture, ended, newFile, noTime, resultOf, take, taken } from './analysis-fixtures.ts';

const evidenceOf = (edition: string | null, askedAt = taken): Evidence => ({
  kind: 'uk-company-number',
  value: '01234567',
  registry: 'the register',
  edition,
  record: null,
  asked_at: askedAt,
  verdict: 'not_found',
  reason: null,
});

export function describeCachedEvidence(store: () => Store): void {
  /** Imports a register, and gives its edition. */
  const importRegister = async (source = 'companies.csv') => {
    const begun = await store().startCompanyRegisterImport();
    await begun.finish({ source, imported_at: ended });
    return String(await store().readCompanyRegisterEdition());
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
      const [first, second] = [await importRegister(), await importRegister()];
      expect(first).toMatch(/^import \d+ of 2026-03-02T12:01:30\.000Z$/);
      expect(second).toMatch(/^import \d+ of 2026-03-02T12:01:30\.000Z$/);
      expect(second).not.toBe(first);
    });

    test('is one of its own for each register', async () => {
      const edition = await importRegister();
      expect(await store().readCompanyRegisterEdition('ca-corporations')).toBeUndefined();
      const corporations = await store().startCompanyRegisterImport('ca-corporations');
      await corporations.finish({ source: 'corporations.csv', imported_at: ended });
      expect(await store().readCompanyRegisterEdition()).toBe(edition);
      const other = await store().readCompanyRegisterEdition('ca-corporations');
      expect([other, other === edition]).toEqual([expect.stringMatching(/^import \d+ of /), false]);
      expect(await again(await cache(evidenceOf(edition), evidenceOf(String(other))))).toMatchObject(fromCache);
    });

    test('stays while an import is in progress, and when it is given up', async () => {
      const edition = await importRegister();
      const begun = await store().startCompanyRegisterImport();
      expect(await store().readCompanyRegisterEdition()).toBe(edition);
      await begun.abandon();
      expect(await store().readCompanyRegisterEdition()).toBe(edition);
    });
  });

  describe('a cached result with evidence', () => {
    test('of an imported register counts, however old, until another import has taken its place', async () => {
      const edition = await importRegister();
      const fixture = await cache(evidenceOf(edition, '2016-01-01T00:00:00.000Z'));
      const before = await store().readAnalysis(fixture.first);
      expect(await again(fixture)).toMatchObject(fromCache);
      const begun = await store().startCompanyRegisterImport();
      expect(await again(fixture)).toMatchObject(fromCache);
      await begun.finish({ source: 'newer.csv', imported_at: ended });
      expect(await again(fixture)).toMatchObject(afresh);
      expect(await store().readAnalysis(fixture.first)).toEqual(before);
    });

    test('of an import that ended while the file was analysed never counts', async () => {
      const edition = await importRegister();
      const fixture = await caseFixture(store());
      await fixture.add(newFile('same'));
      const { lease } = await take(store());
      await importRegister();
      const result = { ...resultOf(1), evidence: [evidenceOf(edition)] };
      await store().completeAnalysis(lease, { result, cacheable: true, at: ended });
      expect(await again(fixture)).toMatchObject(afresh);
    });

    test('of a registry without editions counts until it is too old', async () => {
      const fixture = await cache(evidenceOf(null));
      expect(await again(fixture, taken)).toMatchObject(fromCache);
      expect(await again(fixture, '2026-03-02T12:01:00.001Z')).toMatchObject(afresh);
    });

    test('of a registry without editions does not count for a caller that names no age', async () => {
      expect(await again(await cache(evidenceOf(null)))).toMatchObject(afresh);
    });

    test('of a time that only a clock that was wrong can have given does not count', async () => {
      const fixture = await cache(evidenceOf(null, '2036-03-02T12:00:00.000Z'));
      expect(await again(fixture, taken)).toMatchObject(afresh);
    });

    test('of a number that is in no public register counts, however old', async () => {
      const none = { ...evidenceOf(null, '2016-01-01T00:00:00.000Z'), verdict: 'no_public_register' } as const;
      expect(await again(await cache(none), ended)).toMatchObject(fromCache);
    });

    test('counts only if all of it does', async () => {
      const edition = await importRegister();
      const fixture = await cache(evidenceOf(edition), evidenceOf(null));
      expect(await again(fixture, ended)).toMatchObject(afresh);
      expect(await again(await cache(evidenceOf('import 0 of never'), evidenceOf(edition)))).toMatchObject(afresh);
    });

    test('of a release that named no edition does not count', async () => {
      const older = { ...evidenceOf(null), edition: undefined } as unknown as Evidence;
      expect(await again(await cache(older), taken)).toMatchObject(afresh);
    });

    test('is replaced by the result of the analysis that follows', async () => {
      const fixture = await cache(evidenceOf(await importRegister()));
      const edition = await importRegister();
      await again(fixture);
      const { lease } = await take(store(), '2026-03-02T12:03:00.000Z');
      const result = { ...resultOf(2), evidence: [evidenceOf(edition)] };
      await store().completeAnalysis(lease, { result, cacheable: true, at: ended });
      expect(await again(fixture)).toMatchObject(fromCache);
      expect(await store().countCachedAnalysisResults(fixture.organisationId)).toBe(1);
    });
  });
}
