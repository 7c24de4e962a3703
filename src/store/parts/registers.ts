import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CompanyRegister,
  CompanyRegisterImport,
  CompanyRegisterStore,
  RegisteredCorporation,
  RegisterName,
} from '../company-register-store.ts';
import { ConflictError, StoreUnavailableError } from '../errors.ts';
import { type BusinessNumber, StagedCompanies } from '../staged-imports.ts';
import { all, first, run, type Statements } from '../statements.ts';
import { insertNew, type Part, raw } from './dialect.ts';

const rowsOfPart = 5000;

/** The edition of a register, unique to its import. */
const editionOf = ({ generation, imported_at: at }: { generation: number; imported_at: string | null }) =>
  `import ${generation} of ${at}`;

export function* currentEditions(db: Part['db']): Statements<string[]> {
  const current = db.selectFrom('company_register').where('state', '=', 'current');
  return (yield* all(current.select(['generation', 'imported_at']))).map(editionOf);
}

export function registerStore(part: Part): CompanyRegisterStore {
  const { db, list } = part;
  const current = (register: RegisterName) =>
    db.selectFrom('company_register').where('register', '=', register).where('state', '=', 'current');
  const companiesOf = (register: RegisterName) =>
    db
      .selectFrom('registry_company')
      .select(['company_number', 'name', 'status'])
      .where('generation', '=', current(register).select('generation'));
  return {
    startCompanyRegisterImport: (register = 'uk-companies') => startImport(part, register),

    readCompanyRegister: async (register = 'uk-companies') =>
      (await list(current(register).select(['source', 'companies', 'imported_at'])))[0] as CompanyRegister | undefined,

    readCompanyRegisterEdition: async (register = 'uk-companies') => {
      const [found] = await list(current(register).select(['generation', 'imported_at']));
      return found && editionOf(found);
    },

    findCompany: async (number) => (await list(companiesOf('uk-companies').where('company_number', '=', number)))[0],

    findCorporations: (by, number) => {
      const corporations = companiesOf('ca-corporations').select('other_name').orderBy('company_number').limit(100);
      if (by === 'corporation_number') return list(corporations.where('company_number', '=', number));
      const generation = current('ca-corporations').select('generation');
      const numbers = db.selectFrom('registry_business_number').where('generation', '=', generation);
      const found = numbers.where('business_number', '=', number).select('company_number');
      return list(corporations.where('company_number', 'in', found));
    },
  };
}

async function startImport(part: Part, register: RegisterName): Promise<CompanyRegisterImport> {
  const { db, write, lockTable } = part;
  const registers = db.updateTable('company_register').where('register', '=', register);

  /** Transactions that take several locks take this one first, so that two imports cannot deadlock. */
  const lockRegisters = () => lockTable('company_register');

  const generation = await write(function* () {
    yield* lockRegisters();
    yield* run(registers.where('state', '=', 'importing').set({ state: 'outdated' }));
    const begin = db.insertInto('company_register').values({ register, state: 'importing' });
    return (yield* first(begin.returning('generation')))?.generation ?? 0;
  });
  const own = db.updateTable('company_register').where('generation', '=', generation);

  /** Deletes the data of outdated imports, in short transactions. */
  async function deleteOutdated(): Promise<void> {
    const deleteSome = function* () {
      yield* lockRegisters();
      const outdated = db.selectFrom('company_register').select('generation').where('state', '=', 'outdated');
      const found = yield* first(outdated.limit(1));
      if (found && !(yield* deleteCompanies(found.generation)))
        yield* run(db.deleteFrom('company_register').where('generation', '=', found.generation));
      return found !== undefined;
    };
    while (await inTurns(part, deleteSome));
  }

  /** If that fails, the next import deletes them. */
  const deleteOutdatedOrLater = () =>
    deleteOutdated().catch((error: unknown) => {
      if (!(error instanceof StoreUnavailableError)) throw error;
    });

  /** @throws {ConflictError} unless this import is in progress; an abandoned one may already be deleted */
  function* requireImporting(): Statements<void> {
    const state = db.selectFrom('company_register').select('state').where('generation', '=', generation);
    // Locks the row, so that a process that abandons this import waits for its inserts before it deletes the companies.
    if ((yield* first(state.forShare()))?.state !== 'importing')
      throw new ConflictError('Another import of this register has started and replaced this one.');
  }

  const insert = (
    table: 'registry_company' | 'registry_business_number',
    rows: readonly (RegisteredCorporation | BusinessNumber)[],
  ) =>
    inTurns(part, function* () {
      yield* requireImporting();
      yield* insertNew(
        part,
        table,
        rows.map((row) => ({ generation, ...row })),
        'company_number',
      );
    });

  await deleteOutdated();
  const staged = new StagedCompanies();

  return {
    add: (entries) => {
      staged.add(entries);
      return Promise.resolve();
    },

    finish: async (origin, onStored = () => undefined) => {
      const repeated = staged.sort();
      if (repeated) {
        const place = `${repeated.file === null ? '' : `${repeated.file} `}line ${repeated.line}`;
        throw new ConflictError(`The company number ${repeated.company_number} appears twice.`, place);
      }
      let companies = 0;
      onStored(0);
      for (const entries of staged.companies(rowsOfPart)) {
        await insert('registry_company', entries);
        onStored((companies += entries.length));
      }
      for (const numbers of staged.businessNumbers(rowsOfPart)) await insert('registry_business_number', numbers);
      await write(function* () {
        yield* lockRegisters();
        yield* requireImporting();
        yield* run(registers.where('state', '=', 'current').set({ state: 'outdated' }));
        yield* run(own.set({ state: 'current', companies, ...origin }));
      });
      staged.close();
      await deleteOutdatedOrLater();
      return { ...origin, companies };
    },

    abandon: async () => {
      staged.close();
      await write(() => run(own.where('state', '=', 'importing').set({ state: 'outdated' })));
      await deleteOutdatedOrLater();
    },
  };
}

/** Deletes so many companies of an import, or then business numbers, in the order of their keys. False if none is left. */
function* deleteCompanies(generation: number): Statements<boolean> {
  for (const [table, column] of [
    ['registry_company', 'company_number'],
    ['registry_business_number', 'business_number'],
  ]) {
    const some = `SELECT ${column} FROM ${table} WHERE generation = ${generation} ORDER BY ${column} LIMIT ${rowsOfPart}`;
    const upTo = `${column} <= (SELECT max(${column}) FROM (${some}) AS part)`;
    if ((yield* raw(`DELETE FROM ${table} WHERE generation = ${generation} AND ${upTo}`)) > 0) return true;
  }
  return false;
}

/** Writes a part. On SQLite, it then leaves the lock to others for as long as it held it. */
async function inTurns<T>({ engine, write }: Part, statements: () => Statements<T>): Promise<T> {
  let lockedAt = 0;
  const result = await write(() => {
    lockedAt = performance.now();
    return statements();
  });
  if (engine === 'sqlite') await sleep(Math.max(5, performance.now() - lockedAt));
  return result;
}
