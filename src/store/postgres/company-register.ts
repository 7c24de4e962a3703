import { editionOf, orLater, type ReadRegister, refuseIfGivenUp, repeatedNumber } from '../company-register-import.ts';
import type {
  CompanyRegister,
  CompanyRegisterImport,
  CompanyRegisterStore,
  RegisteredCompany,
  RegisteredCorporation,
  RegisterName,
} from '../company-register-store.ts';
import type { Table } from '../tables.ts';
import type { Connection, Query } from './connection.ts';
import { columnsOf, insertRows, parts, rowOf } from './insert-rows.ts';
import { prepared } from './statement.ts';

const rowsOfPart = 5000;

/** The companies of all imports, one partition each. Only the owner of the table can create and drop partitions. */
const companies: Table = {
  name: 'registry_company',
  columns: {
    generation: 'integer',
    company_number: 'text',
    name: 'text',
    status: 'text',
    other_name: 'text',
    business_number: 'text',
  },
  key: ['generation', 'company_number'],
};
const insertCompanies = insertRows(companies, 'ON CONFLICT DO NOTHING RETURNING company_number');
const addPartition = prepared('SELECT add_register_partition($1)');
const dropPartition = prepared('SELECT drop_register_partition($1)');

/** The current registers, with what identifies their editions. */
export const readRegisters = prepared("SELECT generation, imported_at FROM company_register WHERE state = 'current'");
const readRegister = prepared(
  "SELECT generation, imported_at FROM company_register WHERE register = $1 AND state = 'current'",
);
const current = prepared(
  "SELECT source, companies, imported_at FROM company_register WHERE register = $1 AND state = 'current'",
);
const currentGeneration = (register: RegisterName) =>
  `(SELECT generation FROM company_register WHERE register = '${register}' AND state = 'current')`;
const find = prepared(`
  SELECT company_number, name, status FROM registry_company
  WHERE generation = ${currentGeneration('uk-companies')} AND company_number = $1`);
const findCorporations = (column: 'company_number' | 'business_number') =>
  prepared(`
    SELECT company_number, name, other_name, status FROM registry_company
    WHERE generation = ${currentGeneration('ca-corporations')} AND ${column} = $1
    ORDER BY company_number LIMIT 100`);
const corporations = {
  corporation_number: findCorporations('company_number'),
  business_number: findCorporations('business_number'),
};

// Serialises the start of imports, as only one may be in progress. Transactions that take several locks take this one
// first, so that two imports cannot deadlock.
const lockRegisters = 'LOCK TABLE company_register IN SHARE ROW EXCLUSIVE MODE';
const giveUpOthers = prepared(
  "UPDATE company_register SET state = 'outdated' WHERE register = $1 AND state = 'importing'",
);
const begin = prepared("INSERT INTO company_register (register, state) VALUES ($1, 'importing') RETURNING generation");
// Locks the row, so that a process that abandons this import waits for its inserts before it deletes the companies.
const stateOf = prepared('SELECT state FROM company_register WHERE generation = $1 FOR SHARE');
const outdate = prepared("UPDATE company_register SET state = 'outdated' WHERE register = $1 AND state = 'current'");
const putInPlace = prepared(`
  UPDATE company_register SET state = 'current', source = $2, companies = $3, imported_at = $4 WHERE generation = $1`);
const giveUp = prepared("UPDATE company_register SET state = 'outdated' WHERE generation = $1 AND state = 'importing'");

const outdated = prepared("SELECT generation FROM company_register WHERE state = 'outdated' LIMIT 1");
const deleteRegister = prepared('DELETE FROM company_register WHERE generation = $1');

interface Begun {
  generation: number;
}

export function companyRegisterStore(connection: Connection): CompanyRegisterStore {
  return {
    startCompanyRegisterImport: (register = 'uk-companies') => startImport(connection, register),
    readCompanyRegister: async (register = 'uk-companies') =>
      (await connection.query<CompanyRegister & object>(current, [register])).rows[0],
    readCompanyRegisterEdition: async (register = 'uk-companies') => {
      const [read] = (await connection.query<ReadRegister & object>(readRegister, [register])).rows;
      return read && editionOf(read);
    },
    findCompany: async (companyNumber) =>
      (await connection.query<RegisteredCompany & object>(find, [companyNumber])).rows[0],
    findCorporations: async (by, number) =>
      (await connection.query<RegisteredCorporation & object>(corporations[by], [number])).rows,
  };
}

async function startImport(connection: Connection, register: RegisterName): Promise<CompanyRegisterImport> {
  const generation = await connection.write(async (query) => {
    await query(lockRegisters);
    await query(giveUpOthers, [register]);
    const { rows } = await query<Begun & object>(begin, [register]);
    const made = Number(rows[0]?.generation);
    await query(addPartition, [made]);
    return made;
  });
  await deleteOutdated(connection);
  let added = 0;

  return {
    add: async (entries) => {
      for (const part of parts(entries, rowsOfPart)) {
        const rows = part.map((entry) => rowOf(companies, { ...entry, generation }));
        await connection.write(async (query) => {
          refuseIfGivenUp(await lockState(query, generation));
          const { rows: inserted } = await query<RegisteredCompany & object>(
            insertCompanies,
            columnsOf(companies, rows),
          );
          const fresh = new Set(inserted.map((row) => row.company_number));
          for (const entry of part) if (!fresh.delete(entry.company_number)) throw repeatedNumber(entry);
        });
        added += part.length;
      }
    },

    finish: async (origin) => {
      await connection.write(async (query) => {
        await query(lockRegisters);
        refuseIfGivenUp(await lockState(query, generation));
        await query(outdate, [register]);
        await query(putInPlace, [generation, origin.source, added, origin.imported_at]);
      });
      await orLater(deleteOutdated(connection));
      return { ...origin, companies: added };
    },

    abandon: async () => {
      await connection.write((query) => query(giveUp, [generation]));
      await orLater(deleteOutdated(connection));
    },
  };
}

async function lockState(query: Query, generation: number): Promise<string | undefined> {
  return (await query<{ state: string }>(stateOf, [generation])).rows[0]?.state;
}

async function deleteOutdated(connection: Connection): Promise<void> {
  for (;;) {
    const { rows } = await connection.query<Begun & object>(outdated);
    const [register] = rows;
    if (!register) return;
    await connection.write(async (query) => {
      await query(lockRegisters);
      await query(dropPartition, [register.generation]);
      await query(deleteRegister, [register.generation]);
    });
  }
}
