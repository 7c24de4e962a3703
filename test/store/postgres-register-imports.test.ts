import { expect, test } from '@jest/globals';
import type { CompanyRegisterImport } from '../../src/store/company-register-store.ts';
import { describeDatabase } from '../support/describe-postgres.ts';
import { eachPostgresStore, isBlocked } from '../support/postgres-store.ts';

const entry = (number: string) => ({ company_number: number, name: 'ACME LTD', status: 'Active', line: 2 });
const origin = { source: 'companies.csv', imported_at: '2026-03-02T12:00:00.000Z' };

describeDatabase('two imports of the register at once', (database) => {
  const own = eachPostgresStore(database);
  const begin = () => own.store.startCompanyRegisterImport();
  const begun = async (number: string): Promise<CompanyRegisterImport> => {
    const started = await begin();
    await started.add([entry(number)]);
    return started;
  };
  const deadlocks = async () => {
    const { rows } = await database.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
    return Number(rows[0]?.['deadlocks']);
  };

  test('never wait for each other, when one ends while the other begins', async () => {
    const before = await deadlocks();
    const first = await begun('01234567');
    await own.beside.query('BEGIN; LOCK TABLE company_register IN ROW EXCLUSIVE MODE');
    const second = begin();
    expect(await isBlocked(database, second)).toBe(true);
    const finished = first.finish(origin);
    finished.catch(() => undefined);
    const both = Promise.allSettled([second, finished]);
    expect(await isBlocked(database, both, 2)).toBe(true);
    await own.beside.query('COMMIT');
    await expect(finished).rejects.toThrow('Another import');
    await (await second).abandon();
    expect(await deadlocks()).toBe(before);
  });

  test('never wait for each other, when one removes an earlier register while the other begins', async () => {
    const before = await deadlocks();
    await (await begun('01234567')).finish(origin);
    const second = await begun('01234568');
    await own.beside.query('BEGIN; SELECT FROM registry_company');
    const finished = second.finish(origin);
    expect(await isBlocked(database, finished)).toBe(true);
    const third = begin();
    const both = Promise.allSettled([third, finished]);
    expect(await isBlocked(database, both, 2)).toBe(true);
    await own.beside.query('COMMIT');
    await finished;
    await (await third).abandon();
    expect(await own.store.findCompany('01234568')).toMatchObject({ name: 'ACME LTD' });
    expect(await deadlocks()).toBe(before);
  });
});
