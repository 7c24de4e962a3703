/**
 * The bulk file is in the order of the companies' names. Stored as it comes, each company would change another page of
 * the table, and a million of them write gigabytes. So all are first staged in a temporary table, which is no part of the
 * file and locks nobody out, and then stored in the order of their numbers. Between two parts the write lock is left to
 * others for as long as it was held.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { editionOf, orLater, type ReadRegister, refuseIfGivenUp, repeatedNumber } from '../company-register-import.ts';
import type {
  CompanyRegister,
  CompanyRegisterStore,
  RegisteredCompany,
  RegisterEntry,
} from '../company-register-store.ts';
import type { Connection } from './connection.ts';

const rowsOfPart = 5000;

/** Every register that is read now, with what tells its editions apart. */
export const readRegisters = "SELECT generation, imported_at FROM company_register WHERE state = 'current'";

export function companyRegisterStore(connection: Connection): CompanyRegisterStore {
  const current = connection.prepare<[], CompanyRegister>(
    "SELECT source, companies, imported_at FROM company_register WHERE state = 'current'",
  );
  const find = connection.prepare<[string], RegisteredCompany>(`
    SELECT company_number, name, status FROM registry_company
    WHERE generation = (SELECT generation FROM company_register WHERE state = 'current') AND company_number = ?`);
  const edition = connection.prepare<[], ReadRegister>(readRegisters);
  return {
    startCompanyRegisterImport: () => startImport(connection),
    readCompanyRegister: () => connection.read(() => current.get()),
    readCompanyRegisterEdition: () =>
      connection.read(() => {
        const register = edition.get();
        return register && editionOf(register);
      }),
    findCompany: (companyNumber) => connection.read(() => find.get(companyNumber)),
  };
}

async function startImport(connection: Connection): ReturnType<CompanyRegisterStore['startCompanyRegisterImport']> {
  const generation = await connection.write(() => {
    connection.database.exec("UPDATE company_register SET state = 'outdated' WHERE state = 'importing'");
    connection.database.exec("INSERT INTO company_register (state) VALUES ('importing')");
    return Number(connection.prepare<[], number>('SELECT last_insert_rowid()').pluck().get());
  });
  await deleteOutdated(connection);
  const staged = `temp.staged_company_${generation}`;
  const dropStage = `DROP TABLE IF EXISTS ${staged}`;
  await connection.stage(() =>
    connection.database.exec(`CREATE TABLE ${staged} (company_number TEXT, name TEXT, status TEXT, line INTEGER)`),
  );

  const insert = connection.prepare<RegisterEntry>(
    `INSERT INTO ${staged} VALUES (@company_number, @name, @status, @line)`,
  );
  const repeated = connection.prepare<[], { company_number: string; line: number }>(`
    SELECT company_number, max(line) AS line FROM ${staged}
    GROUP BY company_number HAVING count(*) > 1 LIMIT 1`);
  const storePart = connection.prepare<[number, string]>(`
    INSERT INTO registry_company SELECT ?, company_number, name, status FROM ${staged}
    WHERE company_number > ? ORDER BY company_number LIMIT ${rowsOfPart}`);
  const lastStored = connection
    .prepare<[number], string | null>('SELECT max(company_number) FROM registry_company WHERE generation = ?')
    .pluck();
  const outdate = connection.prepare("UPDATE company_register SET state = 'outdated' WHERE state = 'current'");
  const putInPlace = connection.prepare(`
    UPDATE company_register SET state = 'current', source = ?, companies = ?, imported_at = ? WHERE generation = ?`);

  const state = connection.prepare<[number], string>('SELECT state FROM company_register WHERE generation = ?').pluck();

  return {
    // Deferred, so that the file itself is not locked.
    add: (entries) =>
      connection.stage(() => {
        for (const entry of entries) insert.run(entry);
      }),

    finish: async (origin, onStored = () => undefined) => {
      await connection.stage(() => {
        connection.database.exec(
          `CREATE INDEX ${staged}_by_number ON staged_company_${generation} (company_number, name, status, line)`,
        );
        const twice = repeated.get();
        if (twice) throw repeatedNumber(twice);
      });
      let companies = 0;
      let last = '';
      onStored(0);
      for (let stored = rowsOfPart; stored === rowsOfPart;) {
        await inTurns(connection, () => {
          refuseIfGivenUp(state.get(generation));
          stored = storePart.run(generation, last).changes;
          last = lastStored.get(generation) ?? '';
        });
        onStored((companies += stored));
      }
      await connection.write(() => {
        refuseIfGivenUp(state.get(generation));
        outdate.run();
        putInPlace.run(origin.source, companies, origin.imported_at, generation);
      });
      connection.database.exec(dropStage);
      await orLater(deleteOutdated(connection));
      return { ...origin, companies };
    },

    abandon: async () => {
      connection.database.exec(dropStage);
      await connection.write(() => {
        connection
          .prepare("UPDATE company_register SET state = 'outdated' WHERE generation = ? AND state = 'importing'")
          .run(generation);
      });
      await orLater(deleteOutdated(connection));
    },
  };
}

async function deleteOutdated(connection: Connection): Promise<void> {
  const outdated = connection
    .prepare<[], number>("SELECT generation FROM company_register WHERE state = 'outdated' LIMIT 1")
    .pluck();
  const deletePart = connection.prepare<[number, number]>(`
    DELETE FROM registry_company WHERE generation = ? AND company_number <= (SELECT max(company_number) FROM (
      SELECT company_number FROM registry_company WHERE generation = ? ORDER BY company_number LIMIT ${rowsOfPart}))`);
  const deleteRegister = connection.prepare<[number]>('DELETE FROM company_register WHERE generation = ?');
  const deleteSome = (): boolean => {
    const generation = outdated.get();
    if (generation === undefined) return false;
    if (deletePart.run(generation, generation).changes === 0) deleteRegister.run(generation);
    return true;
  };
  while (await inTurns(connection, deleteSome));
}

/** Writes a part, and then leaves the lock to others for as long as it was held. */
async function inTurns<T>(connection: Connection, work: () => T): Promise<T> {
  let lockedAt = 0;
  const result = await connection.write(() => {
    lockedAt = performance.now();
    return work();
  });
  await sleep(Math.max(5, performance.now() - lockedAt));
  return result;
}
