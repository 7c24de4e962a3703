/**
 * The companies of a register during its import, in a temporary file that no other process can open and that
 * disappears with this process. A bulk file is ordered by company name: storing it in that order would change a
 * different page of the table for each company.
 */
import Sqlite from 'better-sqlite3';
import type { RegisteredCorporation, RegisterEntry } from '../company-register-store.ts';
import { inParts } from '../statements.ts';

/** A company whose number was added before. */
export type RepeatedEntry = Pick<RegisterEntry, 'company_number' | 'line'> & { file: string | null };

/** A company by its business number. */
export type BusinessNumber = Record<'business_number' | 'company_number', string>;

export class StagedCompanies {
  readonly #database = new Sqlite('');
  readonly #insert;

  constructor() {
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      CREATE TABLE company (
        company_number TEXT, name TEXT, status TEXT, other_name TEXT, business_number TEXT, file TEXT, line INTEGER
      ) STRICT;
      BEGIN`);
    this.#insert = this.#database.prepare<RegisterEntry>(
      'INSERT INTO company VALUES (@company_number, @name, @status, @other_name, @business_number, @file, @line)',
    );
  }

  add(entries: readonly RegisterEntry[]): void {
    for (const entry of entries)
      this.#insert.run({ other_name: null, business_number: null, file: null, ...entry } as never);
  }

  /** Sorts the companies by number. Returns one that was added twice, if there is one. */
  sort(): RepeatedEntry | undefined {
    this.#database.exec('CREATE INDEX by_number ON company (company_number)');
    return this.#database
      .prepare<[], RepeatedEntry>(
        `SELECT company_number, file, line FROM company
        WHERE rowid = (SELECT max(rowid) FROM company GROUP BY company_number HAVING count(*) > 1 LIMIT 1)`,
      )
      .get();
  }

  companies(rowsOfPart: number): Iterable<RegisteredCorporation[]> {
    return this.#parts(
      'SELECT company_number, name, status, other_name FROM company ORDER BY company_number',
      rowsOfPart,
    );
  }

  businessNumbers(rowsOfPart: number): Iterable<BusinessNumber[]> {
    return this.#parts(
      `SELECT business_number, company_number FROM company WHERE business_number IS NOT NULL
      ORDER BY business_number, company_number`,
      rowsOfPart,
    );
  }

  #parts<Row>(query: string, rowsOfPart: number): Iterable<Row[]> {
    return inParts(this.#database.prepare<[], Row>(query).iterate(), rowsOfPart);
  }

  close(): void {
    this.#database.close();
  }
}
