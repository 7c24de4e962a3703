import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openRegistries } from '../../../src/analysis/registries/open.ts';
import { type Registry, RegistryUnavailableError } from '../../../src/analysis/registries/registry.ts';
import { readConfig } from '../../../src/runtime/config.ts';
import type { CompanyRegisterStore } from '../../../src/store/parts/registers.ts';
import type { RegisteredCorporation } from '../../../src/store/staged-imports.ts';

type Register = Parameters<CompanyRegisterStore['readCompanyRegister']>[0];
const company = { company_number: 'SC123456', name: 'ACME LTD', status: 'Liquidation' };

/** The registries that the environment configures, on a store with one company and these corporations. */
async function open(
  environment: NodeJS.ProcessEnv = {},
  corporations: RegisteredCorporation[] = [],
  imported: Register[] = [undefined, 'ca-corporations'],
) {
  const asked: string[] = [];
  const register = { source: 'a', imported_at: 'b', companies: 1 };
  const store: Partial<CompanyRegisterStore> = {
    findCompany: (number) => Promise.resolve(number === company.company_number ? company : undefined),
    findCorporations: (by, number) => {
      asked.push(`${by} ${number}`);
      return Promise.resolve(corporations);
    },
    readCompanyRegister: (of) => Promise.resolve(imported.includes(of) ? register : undefined),
    readCompanyRegisterEdition: (of) => Promise.resolve(`edition of ${of}`),
  };
  const logger = pino({ level: 'silent' });
  const registries = await openRegistries(readConfig(environment), store as CompanyRegisterStore, logger);
  const find = (...[kind, value, signal]: Parameters<(typeof registries)[0]['find']>) =>
    registries.find(({ kinds }) => kinds.includes(kind))?.find(kind, value, signal);
  return { registries, asked, find };
}

const corporation = (number: string, status = 'Active', otherName: string | null = null): RegisteredCorporation => ({
  company_number: number,
  name: `CORPORATION ${number} INC.`,
  other_name: otherName,
  status,
});

test('the registries are those that are configured', async () => {
  const opened = async (environment: NodeJS.ProcessEnv) =>
    (await open(environment)).registries.map(({ name, kinds }) => [name, ...kinds]);
  const federal = 'Federal corporation register of Canada (imported)';
  const corporations = [federal, 'ca-corporation-number', 'ca-business-number'];
  expect(await opened({})).toEqual([['UK company register (imported)', 'uk-company-number'], corporations]);
  const companies = { COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: 'key' };
  const vat = { VAT_REGISTRY: 'http', VAT_REGISTRY_CLIENT_ID: 'client', VAT_REGISTRY_CLIENT_SECRET: 's3cret' };
  expect(await opened({ ...companies, ...vat })).toEqual([
    ['UK company register (api.company-information.service.gov.uk)', 'uk-company-number'],
    corporations,
    ['UK VAT register (api.service.hmrc.gov.uk)', 'uk-vat-number'],
  ]);
});

test('the imported federal register of Canada is asked about corporation numbers and business numbers', async () => {
  const { registries, asked, find } = await open({}, [corporation('4261607', 'Active', 'SOCIÉTÉ 4261607')]);
  expect(await registries[1]?.edition?.()).toBe('edition of ca-corporations');
  expect(await find('ca-corporation-number', '4261607')).toEqual({
    value: '4261607',
    name: 'CORPORATION 4261607 INC.',
    other_names: ['SOCIÉTÉ 4261607'],
    status: 'Active',
  });
  await find('ca-business-number', '835752437');
  expect(asked).toEqual(['corporation_number 4261607', 'business_number 835752437']);
});

test.each([
  [['1007 Dissolved', '1006 Active - Dissolution Pending (non-compliance)'], '1006'],
  [['999999 Active', '1000000 Active'], '1000000'],
  [['1000000 Inactive - Amalgamated', '999999 Dissolved'], '1000000'],
])('of those that share a business number %j, an active one and then the latest counts', async (all, expected) => {
  const found = all.map((line) => corporation(...(line.split(/ (.*)/, 2) as [string, string])));
  const record = await (await open({}, found)).find('ca-business-number', '835752437');
  expect(record).toMatchObject({ value: '835752437', name: `CORPORATION ${expected} INC.` });
  expect(record).not.toHaveProperty('other_names');
});

describe.each<[Parameters<Registry['find']>[0], Register]>([
  ['uk-company-number', 'ca-corporations'],
  ['ca-business-number', undefined],
])('an imported register, asked about a %s', (kind, other) => {
  test('gives nothing for a number that it does not have, or to a caller who has given up, and is unavailable before the first import', async () => {
    const { find } = await open();
    expect(await find(kind, '83575243')).toBeUndefined();
    await expect(find(kind, '83575243', AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended');
    const asked = (await open({}, [], [other])).find(kind, '83575243');
    await expect(asked).rejects.toThrow(new RegistryUnavailableError('no register was imported'));
  });
});
