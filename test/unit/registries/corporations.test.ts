import { describe, expect, test } from '@jest/globals';
import { corporationRegistry } from '../../../src/analysis/registries/open.ts';
import { RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import type { RegisteredCorporation } from '../../../src/store/company-register-store.ts';

const corporation = (number: string, status = 'Active', otherName: string | null = null): RegisteredCorporation => ({
  company_number: number,
  name: `CORPORATION ${number} INC.`,
  other_name: otherName,
  status,
});

const open = (found: RegisteredCorporation[], imported = true) => {
  const asked: string[] = [];
  const registry = corporationRegistry({
    findCorporations: (by, number) => {
      asked.push(`${by} ${number}`);
      return Promise.resolve(found);
    },
    readCompanyRegister: (register) =>
      Promise.resolve(
        imported && register === 'ca-corporations' ? { source: 'a', imported_at: 'b', companies: 1 } : undefined,
      ),
    readCompanyRegisterEdition: (register) => Promise.resolve(imported ? `edition of ${String(register)}` : undefined),
  });
  return { asked, registry };
};

describe('the imported federal register of Canada', () => {
  test('is asked about corporation numbers and business numbers', async () => {
    const { registry, asked } = open([corporation('4261607', 'Active', 'SOCIÉTÉ 4261607')]);
    expect(registry.kinds).toEqual(['ca-corporation-number', 'ca-business-number']);
    expect(await registry.edition?.()).toBe('edition of ca-corporations');
    expect(await registry.find('ca-corporation-number', '4261607')).toEqual({
      value: '4261607',
      name: 'CORPORATION 4261607 INC.',
      other_names: ['SOCIÉTÉ 4261607'],
      status: 'Active',
    });
    await registry.find('ca-business-number', '835752437');
    expect(asked).toEqual(['corporation_number 4261607', 'business_number 835752437']);
  });

  test.each([
    [['1007 Dissolved', '1006 Active - Dissolution Pending (non-compliance)'], '1006'],
    [['999999 Active', '1000000 Active'], '1000000'],
    [['1000000 Inactive - Amalgamated', '999999 Dissolved'], '1000000'],
  ])('of those that share a business number %j, an active one and then the latest counts', async (all, expected) => {
    const found = all.map((line) => corporation(line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)));
    const record = await open(found).registry.find('ca-business-number', '835752437');
    expect(record).toMatchObject({ value: '835752437', name: `CORPORATION ${expected} INC.` });
    expect(record).not.toHaveProperty('other_names');
  });

  test('gives nothing for a number that it does not have, and is unavailable before the first import', async () => {
    expect(await open([]).registry.find('ca-business-number', '835752437')).toBeUndefined();
    await expect(open([], false).registry.find('ca-business-number', '835752437')).rejects.toThrow(
      new RegistryUnavailableError('no register was imported'),
    );
  });

  test('does not respond to a caller who has given up', async () => {
    const asked = open([]).registry.find('ca-business-number', '1', AbortSignal.abort(new Error('ended')));
    await expect(asked).rejects.toThrow('ended');
  });
});
