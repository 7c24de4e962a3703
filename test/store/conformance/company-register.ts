import { describe, expect, test } from '@jest/globals';
import type { RegisterEntry } from '../../../src/store/company-register-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { at, later } from './fixtures.ts';

/** More than the store writes with one transaction. */
const many = 12_001;

const origin = { source: 'companies.csv', imported_at: at };
const entry = (company_number: string, line = 2, name = `COMPANY ${company_number} LTD`): RegisterEntry => ({
  company_number,
  name,
  status: 'Active',
  line,
});

export function describeCompanyRegister(store: () => Store): void {
  const importing = async (...entries: RegisterEntry[]) => {
    const begun = await store().startCompanyRegisterImport();
    await begun.add(entries);
    return begun;
  };
  const nameOf = async (number: string) => (await store().findCompany(number))?.name;
  const names = () => Promise.all(['00000001', '00000002', '00000003'].map(nameOf));

  describe('the register of companies', () => {
    test('is nothing before the first import, and then every company of it, and where they came from', async () => {
      expect(await store().readCompanyRegister()).toBeUndefined();
      expect(await store().findCompany('01234567')).toBeUndefined();
      const numbers = Array.from({ length: many }, (_, index) => String((index * 7919) % 99_991).padStart(8, '0'));
      const begun = await store().startCompanyRegisterImport();
      for (let start = 0; start < many; start += 4000)
        await begun.add(numbers.slice(start, start + 4000).map((number, index) => entry(number, start + index + 2)));
      const register = { ...origin, companies: many };
      expect(await begun.finish(origin)).toEqual(register);
      expect(await store().readCompanyRegister()).toEqual(register);
      for (const number of [numbers[0], numbers[4000], numbers[6000], numbers.at(-1)] as string[])
        expect(await store().findCompany(number)).toEqual({
          company_number: number,
          name: `COMPANY ${number} LTD`,
          status: 'Active',
        });
      expect(await store().findCompany('99999999')).toBeUndefined();
    });

    test('is the former one for everybody until the new one is whole, and then the new one alone', async () => {
      await (await importing(entry('00000001'), entry('00000002'))).finish(origin);
      const begun = await importing(entry('00000002', 2, 'RENAMED LTD'), entry('00000003'));
      expect(await names()).toEqual(['COMPANY 00000001 LTD', 'COMPANY 00000002 LTD', undefined]);
      expect(await store().readCompanyRegister()).toMatchObject({ companies: 2, imported_at: at });
      await begun.finish({ source: 'newer.csv', imported_at: later });
      expect(await names()).toEqual([undefined, 'RENAMED LTD', 'COMPANY 00000003 LTD']);
      expect(await store().readCompanyRegister()).toEqual({ source: 'newer.csv', imported_at: later, companies: 2 });
    });

    test('an import that another one has overtaken is refused, and leaves nothing behind', async () => {
      const first = await importing(entry('00000001'));
      const second = await importing(entry('00000002'));
      await expect(first.finish(origin)).rejects.toMatchObject({ name: 'ConflictError' });
      await first.abandon();
      await second.finish(origin);
      expect([await nameOf('00000001'), await nameOf('00000002')]).toEqual([undefined, 'COMPANY 00000002 LTD']);
    });
  });

  describe('the federal register of corporations of Canada', () => {
    const corporation = (number: string, businessNumber: string | null = null, otherName: string | null = null) => ({
      ...{ company_number: number, business_number: businessNumber, name: `CORPORATION ${number} INC.` },
      ...{ other_name: otherName, status: 'Active', file: 'active.csv', line: Number(number) },
    });
    const importCorporations = async (...entries: RegisterEntry[]) => {
      const begun = await store().startCompanyRegisterImport('ca-corporations');
      await begun.add(entries);
      return begun;
    };
    const byBusinessNumber = async (number: string) =>
      (await store().findCorporations('business_number', number)).map(({ company_number: found }) => found);

    test('is found by corporation number and by business number, beside the UK register', async () => {
      await (await importing(entry('00000001'))).finish(origin);
      const begun = await importCorporations(
        corporation('4261607', '835752437', 'SOCIÉTÉ 4261607'),
        corporation('1007'),
        corporation('00000001', '835752437'),
      );
      expect(await begun.finish({ source: 'four files', imported_at: later })).toMatchObject({ companies: 3 });
      const corporations = await store().findCorporations('corporation_number', '4261607');
      expect(corporations).toEqual([
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
      expect(await store().readCompanyRegister()).toEqual({ ...origin, companies: 1 });
      const imported = await store().readCompanyRegister('ca-corporations');
      expect(imported).toMatchObject({ source: 'four files', companies: 3 });
    });

    test('takes the place of its own former import alone, whole', async () => {
      await (await importing(entry('00000001'))).finish(origin);
      const numbers = Array.from({ length: many }, (_, index) => String((index * 7919) % 99_991));
      const first = await importCorporations(
        ...numbers.map((number) => corporation(number, String(999_999_999 - Number(number)))),
      );
      await first.finish(origin);
      expect(await byBusinessNumber(String(999_999_999 - Number(numbers.at(-1))))).toEqual([numbers.at(-1)]);
      const second = await importCorporations(corporation('1007', '835752437'));
      expect(await byBusinessNumber('835752437')).toEqual([]);
      await second.finish({ ...origin, source: 'newer files' });
      expect(await byBusinessNumber('835752437')).toEqual(['1007']);
      expect(await byBusinessNumber('999999999')).toEqual([]);
      expect(await nameOf('00000001')).toBe('COMPANY 00000001 LTD');
    });

    test('an import of the one register leaves an import of the other in progress', async () => {
      const uk = await importing(entry('00000001'));
      await (await importCorporations(corporation('1007'))).finish(origin);
      await uk.finish(origin);
      expect(await nameOf('00000001')).toBe('COMPANY 00000001 LTD');
    });

    test('refuses a number that is there twice, and tells its file and line', async () => {
      const twice = async () => {
        const begun = await importCorporations(corporation('1007'), corporation('1008'));
        await begun.add([{ ...corporation('1007'), file: 'dissolved.csv', line: 5 }]);
        await begun.finish(origin);
      };
      await expect(twice()).rejects.toMatchObject({ name: 'ConflictError', place: 'dissolved.csv line 5' });
      expect(await store().readCompanyRegister('ca-corporations')).toBeUndefined();
    });
  });
}
