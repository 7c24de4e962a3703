import { describe, expect, test } from '@jest/globals';
import type { RegisterEntry } from '../../../src/store/staged-imports.ts';
import type { Store } from '../../../src/store/store.ts';
import { at, importRegister, later } from './fixtures.ts';

/** More than the store writes with one transaction. */
const many = 12_001;

const companyOf = (number: string) => ({ company_number: number, name: `COMPANY ${number} LTD`, status: 'Active' });
const entry = (number: string, name?: string): RegisterEntry => ({
  ...companyOf(number),
  ...(name && { name }),
  line: 2,
});
const scattered = (length: number) => Array.from({ length }, (_, index) => String((index * 7919) % 99_991));

export function describeCompanyRegister(store: () => Store): void {
  const nameOf = async (number: string) => (await store().findCompany(number))?.name;
  const names = () => Promise.all(['00000001', '00000002', '00000003'].map(nameOf));

  describe('the register of companies', () => {
    test('is nothing before the first import, and then every company of it, and where they came from', async () => {
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

    test('is the former one for everybody until the new one is whole, and then the new one alone', async () => {
      await importRegister(store(), [entry('00000001'), entry('00000002')]);
      const newer = [entry('00000002', 'RENAMED LTD'), entry('00000003')];
      await importRegister(store(), newer, { source: 'newer.csv', at: later }, async () => {
        expect(await names()).toEqual(['COMPANY 00000001 LTD', 'COMPANY 00000002 LTD', undefined]);
        expect(await store().readCompanyRegister()).toMatchObject({ companies: 2, imported_at: at });
      });
      expect(await names()).toEqual([undefined, 'RENAMED LTD', 'COMPANY 00000003 LTD']);
      expect(await store().readCompanyRegister()).toEqual({ source: 'newer.csv', imported_at: later, companies: 2 });
    });

    test('an import that another one has overtaken is refused, and leaves nothing behind', async () => {
      const overtaken = importRegister(store(), [entry('00000001')], {}, () =>
        importRegister(store(), [entry('00000002')]),
      );
      await expect(overtaken).rejects.toMatchObject({ name: 'ConflictError' });
      expect(await names()).toEqual([undefined, 'COMPANY 00000002 LTD', undefined]);
    });
  });

  describe('the federal register of corporations of Canada', () => {
    const corporation = (number: string, business_number: string | null = null, other_name: string | null = null) => ({
      ...{ ...entry(number, `CORPORATION ${number} INC.`), business_number, other_name, file: 'active.csv' },
    });
    const importCorporations = (entries: RegisterEntry[], meanwhile?: () => unknown) =>
      importRegister(store(), entries, { register: 'ca-corporations', source: 'four files', at: later }, meanwhile);
    const byBusinessNumber = async (number: string) =>
      (await store().findCorporations('business_number', number)).map(({ company_number: found }) => found);

    test('is found by corporation number and by business number, beside the UK register', async () => {
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

    test('takes the place of its own former import alone, whole', async () => {
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

    test('refuses a number that is there twice, and tells its file and line', async () => {
      const again = { ...corporation('1007'), file: 'dissolved.csv', line: 5 };
      const twice = importCorporations([corporation('1007'), corporation('1008'), again]);
      await expect(twice).rejects.toMatchObject({ name: 'ConflictError', place: 'dissolved.csv line 5' });
      expect(await store().readCompanyRegister('ca-corporations')).toBeUndefined();
    });
  });
}
