/**
 * Copies of public registers of companies, made from their bulk files. They belong to no organisation: every analysis
 * may query them. An import writes a new generation beside the one being read, in many short transactions, and then
 * replaces it in one step. The next import deletes what a killed import left behind.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError } from '../errors.ts';
import { all, first, run, type Statements } from '../statements.ts';
import type { RegisteredCompany, RegisterName, StagedCompanies } from '../staged-imports.ts';
import { insertRows, type Part, raw } from './dialect.ts';

/** The name of its file, for people, and when. */
export type RegisterOrigin = Record<'source' | 'imported_at', string>;

export type CompanyRegister = RegisterOrigin & { companies: number };

export type CompanyRegisterStore = ReturnType<typeof registerStore>;

const rowsOfPart = 5000;

/** The tables of an import, each stored in the order of its key: in another one, each row would change a different page. */
const tables = [
  { table: 'registry_company', key: 'company_number', columns: 'company_number, name, status, other_name' },
  { table: 'registry_business_number', key: 'business_number', columns: 'business_number, company_number' },
] as const;

/** The edition of a register, unique to its import. */
const editionOf = ({ generation, imported_at: at }: { generation: number; imported_at: string | null }) =>
  `import ${generation} of ${at}`;

export function* currentEditions(db: Part['db']): Statements<string[]> {
  const current = db.selectFrom('company_register').where('state', '=', 'current');
  return (yield* all(current.select(['generation', 'imported_at']))).map(editionOf);
}

export function registerStore(part: Part) {
  const { db, reads } = part;
  const current = (register: RegisterName) =>
    db.selectFrom('company_register').where('register', '=', register).where('state', '=', 'current');
  const companiesOf = (register: RegisterName) =>
    db
      .selectFrom('registry_company')
      .select(['company_number', 'name', 'status'])
      .where('generation', '=', current(register).select('generation'));
  return {
    importCompanyRegister: importRegister.bind(undefined, part),

    ...reads({
      *readCompanyRegister(register: RegisterName = 'uk-companies') {
        const found = yield* first(current(register).select(['source', 'companies', 'imported_at']));
        return found as CompanyRegister | undefined;
      },

      /** Unique to its import. */
      *readCompanyRegisterEdition(register: RegisterName = 'uk-companies') {
        const found = yield* first(current(register).select(['generation', 'imported_at']));
        return found && editionOf(found);
      },

      /** In the UK register. */
      findCompany: (number: string): Statements<RegisteredCompany | undefined> =>
        first(companiesOf('uk-companies').where('company_number', '=', number)),

      /** In the federal register of Canada; at most 100. Several can share a business number, as after an amalgamation. */
      findCorporations: (by: 'corporation_number' | 'business_number', number: string) => {
        const corporations = companiesOf('ca-corporations').select('other_name').orderBy('company_number').limit(100);
        if (by === 'corporation_number') return all(corporations.where('company_number', '=', number));
        const generation = current('ca-corporations').select('generation');
        const numbers = db.selectFrom('registry_business_number').where('generation', '=', generation);
        const found = numbers.where('business_number', '=', number).select('company_number');
        return all(corporations.where('company_number', 'in', found));
      },
    }),
  };
}

/**
 * Replaces a register in one step, once all companies are stored; `onStored` is awaited with their number so far. An
 * import of the same register that is in progress ends.
 * @throws {ConflictError} if a number is listed twice, or another import has started
 */
async function importRegister(
  part: Part,
  register: RegisterName,
  staged: StagedCompanies,
  origin: RegisterOrigin,
  onStored: (stored: number) => unknown = () => undefined,
): Promise<CompanyRegister> {
  const { db, write, lockTable } = part;
  const repeated = staged.sort();
  if (repeated) {
    const place = `${repeated.file === null ? '' : `${repeated.file} `}line ${repeated.line}`;
    throw new ConflictError(`The company number ${repeated.company_number} appears twice.`, place);
  }

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

  /** @throws {ConflictError} unless this import is in progress; an abandoned one may already be deleted */
  function* requireImporting(): Statements<void> {
    const state = db.selectFrom('company_register').select('state').where('generation', '=', generation);
    // Locks the row, so that a process that abandons this import waits for its inserts before it deletes the companies.
    if ((yield* first(state.forShare()))?.state !== 'importing')
      throw new ConflictError('Another import of this register has started and replaced this one.');
  }

  try {
    await deleteOutdated();
    let companies = 0;
    await onStored(0);
    for (const { table, key, columns } of tables)
      for (const rows of staged.inOrderOf(key, columns, rowsOfPart)) {
        await inTurns(part, function* () {
          yield* requireImporting();
          const ofImport = rows.map((row) => ({ generation, ...row }));
          yield* insertRows(part, table, ofImport, key);
        });
        if (table === 'registry_company') await onStored((companies += rows.length));
      }
    await write(function* () {
      yield* lockRegisters();
      yield* requireImporting();
      yield* run(registers.where('state', '=', 'current').set({ state: 'outdated' }));
      yield* run(own.set({ state: 'current', companies, ...origin }));
    });
    return { ...origin, companies };
  } finally {
    // If that fails, the next import does it.
    await write(() => run(own.where('state', '=', 'importing').set({ state: 'outdated' })))
      .then(deleteOutdated)
      .catch(() => undefined);
  }
}

/** Deletes so many companies of an import, or then business numbers, in the order of their keys. False if none is left. */
function* deleteCompanies(generation: number): Statements<boolean> {
  for (const { table, key } of tables) {
    const some = `SELECT ${key} FROM ${table} WHERE generation = ${generation} ORDER BY ${key} LIMIT ${rowsOfPart}`;
    const upTo = `${key} <= (SELECT max(${key}) FROM (${some}) AS part)`;
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
