/**
 * The bulk file is ordered by company name. Storing it in that order would change a different page of the table for
 * each company, and a million companies would write gigabytes. So the import first stages all companies in a temporary
 * table, which is outside the database file and needs no lock on it, and then stores them ordered by number. After each
 * part it releases the write lock for as long as it held it.
 */
import {
  editionOf,
  orLater,
  type ReadRegister,
  refuseIfGivenUp,
  type RepeatedEntry,
  repeatedNumber,
} from '../company-register-import.ts';
import type {
  CompanyRegister,
  CompanyRegisterStore,
  RegisteredCompany,
  RegisteredCorporation,
  RegisterEntry,
  RegisterName,
} from '../company-register-store.ts';
import type { Connection } from './connection.ts';
import { deleteOutdated, inTurns, rowsOfPart } from './register-generations.ts';

type StagedEntry = { [Name in keyof Required<RegisterEntry>]: NonNullable<RegisterEntry[Name]> | null };

/** The current registers, with what identifies their editions. */
export const readRegisters = "SELECT generation, imported_at FROM company_register WHERE state = 'current'";

export function companyRegisterStore(connection: Connection): CompanyRegisterStore {
  const current = connection.prepare<[RegisterName], CompanyRegister>(
    "SELECT source, companies, imported_at FROM company_register WHERE register = ? AND state = 'current'",
  );
  const find = connection.prepare<[string], RegisteredCompany>(`
    SELECT company_number, name, status FROM registry_company
    WHERE generation = ${currentGeneration('uk-companies')} AND company_number = ?`);
  const corporation = connection.prepare<[string], RegisteredCorporation>(`
    SELECT company_number, name, other_name, status FROM registry_company
    WHERE generation = ${currentGeneration('ca-corporations')} AND company_number = ?`);
  const byBusinessNumber = connection.prepare<[string], RegisteredCorporation>(`
    SELECT company_number, name, other_name, status
    FROM registry_business_number JOIN registry_company USING (generation, company_number)
    WHERE generation = ${currentGeneration('ca-corporations')} AND business_number = ?
    ORDER BY company_number LIMIT 100`);
  const edition = connection.prepare<[RegisterName], ReadRegister>(`${readRegisters} AND register = ?`);
  return {
    startCompanyRegisterImport: (register = 'uk-companies') => startImport(connection, register),
    readCompanyRegister: (register = 'uk-companies') => connection.read(() => current.get(register)),
    readCompanyRegisterEdition: (register = 'uk-companies') =>
      connection.read(() => {
        const read = edition.get(register);
        return read && editionOf(read);
      }),
    findCompany: (companyNumber) => connection.read(() => find.get(companyNumber)),
    findCorporations: (by, number) =>
      connection.read(() => (by === 'business_number' ? byBusinessNumber : corporation).all(number)),
  };
}

function currentGeneration(register: RegisterName): string {
  return `(SELECT generation FROM company_register WHERE register = '${register}' AND state = 'current')`;
}

async function startImport(
  connection: Connection,
  register: RegisterName,
): ReturnType<CompanyRegisterStore['startCompanyRegisterImport']> {
  const giveUpOthers = connection.prepare<[RegisterName]>(
    "UPDATE company_register SET state = 'outdated' WHERE register = ? AND state = 'importing'",
  );
  const begin = connection.prepare<[RegisterName]>(
    "INSERT INTO company_register (register, state) VALUES (?, 'importing')",
  );
  const generation = await connection.write(() => {
    giveUpOthers.run(register);
    return Number(begin.run(register).lastInsertRowid);
  });
  await deleteOutdated(connection);
  const staged = `temp.staged_company_${generation}`;
  const dropStage = `DROP TABLE IF EXISTS ${staged}`;
  await connection.stage(() =>
    connection.database.exec(`
      CREATE TABLE ${staged} (
        company_number TEXT, name TEXT, status TEXT, other_name TEXT, business_number TEXT, file TEXT, line INTEGER
      )`),
  );

  const insert = connection.prepare<StagedEntry>(
    `INSERT INTO ${staged} VALUES (@company_number, @name, @status, @other_name, @business_number, @file, @line)`,
  );
  const repeated = connection.prepare<[], RepeatedEntry>(`
    SELECT company_number, file, line FROM ${staged} WHERE rowid = (
      SELECT max(rowid) FROM ${staged} GROUP BY company_number HAVING count(*) > 1 LIMIT 1)`);
  const storePart = connection.prepare<[number, string]>(`
    INSERT INTO registry_company (generation, company_number, name, status, other_name)
    SELECT ?, company_number, name, status, other_name FROM ${staged}
    WHERE company_number > ? ORDER BY company_number LIMIT ${rowsOfPart}`);
  const lastStored = connection
    .prepare<[number], string | null>('SELECT max(company_number) FROM registry_company WHERE generation = ?')
    .pluck();
  const storeBusinessNumbers = connection.prepare<[number, string, string]>(`
    INSERT INTO registry_business_number SELECT ?, business_number, company_number FROM ${staged}
    WHERE business_number IS NOT NULL AND (business_number, company_number) > (?, ?)
    ORDER BY business_number, company_number LIMIT ${rowsOfPart}`);
  const lastBusinessNumber = connection.prepare<[number], { business_number: string; company_number: string }>(`
    SELECT business_number, company_number FROM registry_business_number
    WHERE generation = ? ORDER BY business_number DESC, company_number DESC LIMIT 1`);
  const outdate = connection.prepare<[RegisterName]>(
    "UPDATE company_register SET state = 'outdated' WHERE register = ? AND state = 'current'",
  );
  const putInPlace = connection.prepare(`
    UPDATE company_register SET state = 'current', source = ?, companies = ?, imported_at = ? WHERE generation = ?`);

  const state = connection.prepare<[number], string>('SELECT state FROM company_register WHERE generation = ?').pluck();

  /** Stores the business numbers in their own order, for the same reason. */
  async function indexBusinessNumbers(): Promise<void> {
    await connection.stage(() =>
      connection.database.exec(`
        CREATE INDEX ${staged}_by_business_number ON staged_company_${generation} (business_number, company_number)
        WHERE business_number IS NOT NULL`),
    );
    let last = { business_number: '', company_number: '' };
    for (let stored = rowsOfPart; stored === rowsOfPart;)
      await inTurns(connection, () => {
        refuseIfGivenUp(state.get(generation));
        stored = storeBusinessNumbers.run(generation, last.business_number, last.company_number).changes;
        last = lastBusinessNumber.get(generation) ?? last;
      });
  }

  return {
    // Deferred, so that the file itself is not locked.
    add: (entries) =>
      connection.stage(() => {
        for (const entry of entries) insert.run({ other_name: null, business_number: null, file: null, ...entry });
      }),

    finish: async (origin, onStored = () => undefined) => {
      await connection.stage(() => {
        connection.database.exec(
          `CREATE INDEX ${staged}_by_number ON staged_company_${generation} (company_number, name, status, other_name)`,
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
      if (register === 'ca-corporations') await indexBusinessNumbers();
      await connection.write(() => {
        refuseIfGivenUp(state.get(generation));
        outdate.run(register);
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
