import { expect, test } from '@jest/globals';
import type { Evidence } from '../../../src/domain/analysis.ts';
import type { RegisterEntry, RegisterName } from '../../../src/store/staged-imports.ts';
import type { Store } from '../../../src/store/store.ts';
import * as fixtures from './fixtures.ts';

const { at, caseFixture, ended, importRegister, later, newFile, noTime, resultOf, take, taken } = fixtures;

const evidenceOf = (edition: string | null, askedAt = taken) => fixtures.evidenceOf('01234567', askedAt, { edition });

/** More than the store writes with one transaction. */
const many = 12_001;

const companyOf = (number: string) => ({ company_number: number, name: `COMPANY ${number} LTD`, status: 'Active' });
const entry = (number: string, name?: string): RegisterEntry => ({
  ...companyOf(number),
  ...(name && { name }),
  line: 2,
});
const scattered = (length: number) => Array.from({ length }, (_, index) => String((index * 7919) % 99_991));

/** The imported registers, their editions, and the cached results whose evidence is from them. */
export function describeRegisters(store: () => Store): void {
  const nameOf = async (number: string) => (await store().findCompany(number))?.name;
  const names = () => Promise.all(['00000001', '00000002', '00000003'].map(nameOf));

  test('the register of companies is nothing before the first import, and then every company of it, and where they came from', async () => {
    expect(await store().readCompanyRegister()).toBeUndefined();
    expect(await store().findCompany('01234567')).toBeUndefined();
    const numbers = scattered(many).map((number) => number.padStart(8, '0'));
    const register = { source: 'companies.csv', imported_at: at, companies: many };
    const told: number[] = [];
    const imported = await importRegister(
      store(),
      numbers.map((number) => entry(number)),
      {},
      (stored) => told.push(stored),
    );
    expect([imported, told]).toEqual([register, [0, 5000, 10_000, many]]);
    expect(await store().readCompanyRegister()).toEqual(register);
    for (const number of [numbers[0], numbers[4000], numbers[6000], numbers.at(-1)] as string[])
      expect(await store().findCompany(number)).toEqual(companyOf(number));
    expect(await store().findCompany('99999999')).toBeUndefined();
  });

  test('the register of companies is the former one for everybody until the new one is whole, and then the new one alone', async () => {
    await importRegister(store(), [entry('00000001'), entry('00000002')]);
    const newer = [entry('00000002', 'RENAMED LTD'), entry('00000003')];
    await importRegister(store(), newer, { source: 'newer.csv', at: later }, async () => {
      expect(await names()).toEqual(['COMPANY 00000001 LTD', 'COMPANY 00000002 LTD', undefined]);
      expect(await store().readCompanyRegister()).toMatchObject({ companies: 2, imported_at: at });
    });
    expect(await names()).toEqual([undefined, 'RENAMED LTD', 'COMPANY 00000003 LTD']);
    expect(await store().readCompanyRegister()).toEqual({ source: 'newer.csv', imported_at: later, companies: 2 });
  });

  test('an import of the register of companies that another one has overtaken is refused, and leaves nothing behind', async () => {
    const overtaken = importRegister(store(), [entry('00000001')], {}, () =>
      importRegister(store(), [entry('00000002')]),
    );
    await expect(overtaken).rejects.toMatchObject({ name: 'ConflictError' });
    expect(await names()).toEqual([undefined, 'COMPANY 00000002 LTD', undefined]);
  });

  const corporation = (number: string, business_number: string | null = null, other_name: string | null = null) => ({
    ...{ ...entry(number, `CORPORATION ${number} INC.`), business_number, other_name, file: 'active.csv' },
  });
  const importCorporations = (entries: RegisterEntry[], meanwhile?: () => unknown) =>
    importRegister(store(), entries, { register: 'ca-corporations', source: 'four files', at: later }, meanwhile);
  const byBusinessNumber = async (number: string) =>
    (await store().findCorporations('business_number', number)).map(({ company_number: found }) => found);

  test('the federal register of corporations of Canada is found by corporation number and by business number, beside the UK register', async () => {
    await importRegister(store(), [entry('00000001')]);
    const imported = await importCorporations([
      corporation('4261607', '835752437', 'SOCIÉTÉ 4261607'),
      corporation('1007'),
      corporation('00000001', '835752437'),
    ]);
    expect(imported).toEqual({ source: 'four files', imported_at: later, companies: 3 });
    expect(await store().findCorporations('corporation_number', '4261607')).toEqual([
      {
        company_number: '4261607',
        name: 'CORPORATION 4261607 INC.',
        other_name: 'SOCIÉTÉ 4261607',
        status: 'Active',
      },
    ]);
    expect(await store().findCorporations('corporation_number', '835752437')).toEqual([]);
    expect(await byBusinessNumber('835752437')).toEqual(['00000001', '4261607']);
    expect(await byBusinessNumber('1007')).toEqual([]);
    expect([await nameOf('00000001'), await nameOf('4261607')]).toEqual(['COMPANY 00000001 LTD', undefined]);
    expect(await store().readCompanyRegister()).toMatchObject({ source: 'companies.csv', companies: 1 });
    expect(await store().readCompanyRegister('ca-corporations')).toEqual(imported);
  });

  test('the federal register of corporations of Canada takes the place of its own former import alone, whole', async () => {
    await importRegister(store(), [entry('00000001')]);
    const businessNumberOf = (number: string) => String(999_999_999 - Number(number));
    const numbers = scattered(many);
    await importCorporations(numbers.map((number) => corporation(number, businessNumberOf(number))));
    const last = String(numbers.at(-1));
    expect(await byBusinessNumber(businessNumberOf(last))).toEqual([last]);
    await importCorporations([corporation('1007', '835752437')], async () => {
      expect(await byBusinessNumber('835752437')).toEqual([]);
    });
    expect(await byBusinessNumber('835752437')).toEqual(['1007']);
    expect(await byBusinessNumber('999999999')).toEqual([]);
    expect(await nameOf('00000001')).toBe('COMPANY 00000001 LTD');
  });

  test('an import of the one register leaves an import of the other in progress', async () => {
    await importRegister(store(), [entry('00000001')], {}, () => importCorporations([corporation('1007')]));
    expect(await nameOf('00000001')).toBe('COMPANY 00000001 LTD');
  });

  /** Imports a register, and gives its edition. */
  const importEdition = async (register: RegisterName = 'uk-companies', meanwhile?: () => unknown) => {
    await importRegister(store(), [], { register, at: ended }, meanwhile);
    return String(await store().readCompanyRegisterEdition(register));
  };
  const cache = async (...evidence: Evidence[]) => {
    const fixture = await caseFixture(store());
    const { lease } = await fixture.begin('same');
    await store().completeAnalysis(lease, { result: { ...resultOf(1), evidence }, cacheable: true, at: ended });
    return { ...fixture, first: lease.fileId };
  };
  const again = async ({ add }: Pick<Awaited<ReturnType<typeof caseFixture>>, 'add'>, askedSince?: string) => {
    await add(newFile('same'));
    const taking = { at: '2026-03-02T12:02:00.000Z', leaseMilliseconds: noTime };
    return store().takeAnalysis(askedSince === undefined ? taking : { ...taking, askedSince });
  };
  const fromCache = { analysis_status: 'analysis_complete', from_cache: true };
  const afresh = { analysis_status: 'analysing' };

  test('the edition of the register is one of its own for each register', async () => {
    const edition = await importEdition();
    expect(await store().readCompanyRegisterEdition('ca-corporations')).toBeUndefined();
    const other = await importEdition('ca-corporations');
    expect(await store().readCompanyRegisterEdition()).toBe(edition);
    expect([other, other === edition]).toEqual([expect.stringMatching(/^import \d+ of /), false]);
    expect(await again(await cache(evidenceOf(edition), evidenceOf(other)))).toMatchObject(fromCache);
  });

  test('the edition of the register stays while an import is in progress, and when it is given up', async () => {
    const edition = await importEdition();
    const abandoned = importEdition('uk-companies', async () => {
      expect(await store().readCompanyRegisterEdition()).toBe(edition);
      throw new Error('given up');
    });
    await expect(abandoned).rejects.toThrow('given up');
    expect(await store().readCompanyRegisterEdition()).toBe(edition);
  });

  test('a cached result with evidence of an imported register counts, however old, until another import has taken its place', async () => {
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

  test('a cached result with evidence of an import that ended while the file was analysed never counts', async () => {
    const edition = await importEdition();
    const fixture = await caseFixture(store());
    const { lease } = await fixture.begin('same');
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
  test.each(cases)('a cached result with evidence %s', async (_, askedSince, counts, ...evidence) => {
    const edition = await importEdition();
    const fixture = await cache(...evidence.map((of) => of(edition)));
    expect(await again(fixture, askedSince)).toMatchObject(counts ? fromCache : afresh);
  });

  test('a cached result with evidence is replaced by the result of the analysis that follows', async () => {
    const fixture = await cache(evidenceOf(await importEdition()));
    const edition = await importEdition();
    await again(fixture);
    const { lease } = await take(store(), '2026-03-02T12:03:00.000Z');
    const result = { ...resultOf(2), evidence: [evidenceOf(edition)] };
    await store().completeAnalysis(lease, { result, cacheable: true, at: ended });
    expect(await again(fixture)).toMatchObject(fromCache);
    expect(await store().countCachedAnalysisResults(fixture.organisationId)).toBe(1);
  });
}
