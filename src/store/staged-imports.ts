/**
 * What is read and checked completely before it is imported, in a temporary file that no other process can open and that
 * disappears with this process. It is in SQLite's folder for temporary files: `SQLITE_TMPDIR`, `TMPDIR`, /var/tmp or /tmp.
 */
import Sqlite, { type Database } from 'better-sqlite3';
import type { CaseRecord, CaseToImport, FileSummary } from '../domain/case.ts';
import type { CasePlace, Fault, FilePlace, ImportTarget } from '../domain/case-import.ts';
import { inParts } from './statements.ts';

function temporaryDatabase(schema: string): Database {
  return new Sqlite('').exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${schema}; BEGIN`);
}

const filesOfPage = 1000;

/** The `file_index` of a case itself. */
const itself = -1;

/** The cases of an import. */
export class StagedCases implements ImportTarget, Iterable<CaseToImport> {
  readonly #database = temporaryDatabase(`
    CREATE TABLE staged (
      case_index INTEGER, file_index INTEGER, given_id TEXT, content TEXT, PRIMARY KEY (case_index, file_index)
    ) STRICT, WITHOUT ROWID`);
  readonly #insert = this.#database.prepare('INSERT OR IGNORE INTO staged VALUES (?, ?, ?, ?)');
  readonly #read = this.#database
    .prepare<[number, number, number], string>(
      'SELECT content FROM staged WHERE case_index = ? AND file_index >= ? ORDER BY file_index LIMIT ?',
    )
    .pluck();
  cases = 0;
  files = 0;
  #listedTwice: string | undefined;

  addFile(file: FileSummary, { caseIndex, fileIndex }: FilePlace, isIdGiven: boolean): void {
    const id = isIdGiven ? file.file_id : null;
    const { changes } = this.#insert.run(caseIndex, fileIndex, id, JSON.stringify(file));
    if (changes === 0) this.#listedTwice ??= `[${caseIndex}].files`;
    this.files += changes;
  }

  addCase(record: CaseRecord, { caseIndex }: CasePlace, isIdGiven: boolean): void {
    this.#insert.run(caseIndex, itself, isIdGiven ? record.case_id : null, JSON.stringify(record));
    this.cases += 1;
  }

  /** Duplicates: identifiers, at each place except the first, and repeated `files` of a case. SQLite sorts in its files. */
  *repetitions(): Iterable<Fault> {
    if (this.#listedTwice !== undefined) yield { place: this.#listedTwice, message: 'is given twice' };
    const place = `'[' || case_index || ']' || iif(is_case, '.case_id', '.files[' || file_index || '].file_id')`;
    yield* this.#database
      .prepare<[], Fault>(
        `WITH placed AS (
          SELECT case_index, file_index, is_case, ${place} AS place, first_value(${place}) OVER same AS first
          FROM (SELECT *, file_index = ${itself} AS is_case FROM staged WHERE given_id IS NOT NULL)
          WINDOW same AS (PARTITION BY is_case, given_id ORDER BY case_index, file_index))
        SELECT place, 'is the same as ' || first AS message FROM placed WHERE place <> first
        ORDER BY is_case DESC, case_index, file_index`,
      )
      .iterate();
  }

  *[Symbol.iterator](): Iterator<CaseToImport> {
    for (let index = 0; index < this.cases; index += 1) {
      const record = JSON.parse(this.#read.get(index, itself, 1) ?? '') as CaseRecord;
      yield { ...record, files: this.#filesOf(index) };
    }
  }

  close(): void {
    this.#database.close();
  }

  *#filesOf(caseIndex: number): Iterable<FileSummary> {
    for (let next = 0; ; next += filesOfPage) {
      const page = this.#read.all(caseIndex, next, filesOfPage);
      for (const file of page) yield JSON.parse(file) as FileSummary;
      if (page.length < filesOfPage) return;
    }
  }
}

export const registerNames = ['uk-companies', 'ca-corporations'] as const;

export type RegisterName = (typeof registerNames)[number];

export interface RegisteredCompany {
  company_number: string;
  name: string;
  /** As the register words it; empty if it has none. */
  status: string;
}

/** A corporation in the federal register of Canada; its company number is its corporation number. */
export interface RegisteredCorporation extends RegisteredCompany {
  /** The name in the other language; null if it has one name. */
  other_name: string | null;
}

/** A company in a bulk file, and its position there. */
export interface RegisterEntry extends RegisteredCompany {
  other_name?: string | null;
  business_number?: string | null;
  /** The name of the file, if the register has several. */
  file?: string;
  line: number;
}

/** A company whose number was added before. */
type RepeatedEntry = Pick<RegisterEntry, 'company_number' | 'line'> & { file: string | null };

/**
 * The companies of a register. A bulk file is ordered by company name: storing it in that order would change a different
 * page of the table for each company.
 */
export class StagedCompanies {
  readonly #database = temporaryDatabase(`
    CREATE TABLE company (
      company_number TEXT, name TEXT, status TEXT, other_name TEXT, business_number TEXT, file TEXT, line INTEGER
    ) STRICT`);
  readonly #insert = this.#database.prepare(
    'INSERT INTO company VALUES (@company_number, @name, @status, @other_name, @business_number, @file, @line)',
  );
  count = 0;

  add(entries: readonly RegisterEntry[]): void {
    for (const entry of entries) this.#insert.run({ other_name: null, business_number: null, file: null, ...entry });
    this.count += entries.length;
  }

  /** Sorts the companies by number. Returns one that was added twice, if there is one. */
  sort(): RepeatedEntry | undefined {
    this.#database.exec('CREATE INDEX by_number ON company (company_number)');
    const query = `
      SELECT company_number, file, line FROM company
      WHERE rowid = (SELECT max(rowid) FROM company GROUP BY company_number HAVING count(*) > 1 LIMIT 1)`;
    return this.#database.prepare<[], RepeatedEntry>(query).get();
  }

  /** These columns of the companies that have a key, in its order, in parts of so many rows. */
  inOrderOf(key: string, columns: string, rowsOfPart: number): Iterable<object[]> {
    const query = `SELECT ${columns} FROM company WHERE ${key} IS NOT NULL ORDER BY ${key}, company_number`;
    return inParts(this.#database.prepare<[], object>(query).iterate(), rowsOfPart);
  }

  close(): void {
    this.#database.close();
  }
}
