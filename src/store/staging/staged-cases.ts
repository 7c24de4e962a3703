import Database from 'better-sqlite3';
import type { CaseRecord, CaseToImport, FileSummary } from '../../domain/case.ts';
import type { CasePlace, Fault, FilePlace, ImportTarget } from '../../domain/case-import.ts';

const filesOfPage = 1000;

/**
 * Stages the cases of an import in a temporary file that no other process can open and that disappears with this
 * process. It is in SQLite's folder for temporary files: `SQLITE_TMPDIR`, `TMPDIR`, /var/tmp or /tmp.
 */
export class StagedCases implements ImportTarget, Iterable<CaseToImport> {
  readonly #database = new Database('');
  readonly #insertCase;
  readonly #insertFile;
  readonly #readCase;
  readonly #readFiles;
  readonly #given = { case: false, file: false };
  #cases = 0;
  #files = 0;
  #listedTwice: string | undefined;

  constructor() {
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -2000;
      CREATE TABLE staged_case (case_index INTEGER PRIMARY KEY, case_id TEXT NOT NULL, record TEXT NOT NULL) STRICT;
      CREATE TABLE staged_file (
        case_index INTEGER NOT NULL, file_index INTEGER NOT NULL, file_id TEXT NOT NULL, file TEXT NOT NULL,
        PRIMARY KEY (case_index, file_index)
      ) STRICT, WITHOUT ROWID;
      BEGIN`);
    this.#insertCase = this.#database.prepare('INSERT INTO staged_case VALUES (?, ?, ?)');
    this.#insertFile = this.#database.prepare('INSERT OR IGNORE INTO staged_file VALUES (?, ?, ?, ?)');
    this.#readCase = this.#database
      .prepare<[number], string>('SELECT record FROM staged_case WHERE case_index = ?')
      .pluck();
    this.#readFiles = this.#database
      .prepare<[number, number], string>(
        `SELECT file FROM staged_file WHERE case_index = ? AND file_index >= ? ORDER BY file_index LIMIT ${filesOfPage}`,
      )
      .pluck();
  }

  get files(): number {
    return this.#files;
  }

  get cases(): number {
    return this.#cases;
  }

  addFile(file: FileSummary, { caseIndex, fileIndex }: FilePlace, isIdGiven: boolean): void {
    const { changes } = this.#insertFile.run(caseIndex, fileIndex, file.file_id, JSON.stringify(file));
    if (changes === 0) this.#listedTwice ??= `[${caseIndex}].files`;
    this.#files += changes;
    this.#given.file ||= isIdGiven;
  }

  addCase(record: CaseRecord, { caseIndex }: CasePlace, isIdGiven: boolean): void {
    this.#insertCase.run(caseIndex, record.case_id, JSON.stringify(record));
    this.#cases += 1;
    this.#given.case ||= isIdGiven;
  }

  /** Duplicates: identifiers, at each place except the first, and repeated `files` of a case. */
  *repetitions(): Iterable<Fault> {
    if (this.#listedTwice !== undefined) yield { place: this.#listedTwice, message: 'is given twice' };
    if (this.#given.case)
      for (const { at, first } of this.#repeated(
        'SELECT case_index, NULL AS file_index, case_id AS id FROM staged_case',
      ))
        yield { place: `${at}.case_id`, message: `is the same as ${first}.case_id` };
    if (this.#given.file)
      for (const { at, first } of this.#repeated('SELECT case_index, file_index, file_id AS id FROM staged_file'))
        yield { place: `${at}.file_id`, message: `is the same as ${first}.file_id` };
  }

  *[Symbol.iterator](): Iterator<CaseToImport> {
    for (let index = 0; index < this.#cases; index += 1) {
      const record = JSON.parse(this.#readCase.get(index) ?? '') as CaseRecord;
      yield { ...record, files: this.#filesOf(index) };
    }
  }

  close(): void {
    this.#database.close();
  }

  *#filesOf(caseIndex: number): Iterable<FileSummary> {
    for (let next = 0; ; next += filesOfPage) {
      const page = this.#readFiles.all(caseIndex, next);
      for (const file of page) yield JSON.parse(file) as FileSummary;
      if (page.length < filesOfPage) return;
    }
  }

  /** Both places of each duplicate identifier. SQLite sorts in its temporary files. */
  *#repeated(identifiers: string): Iterable<{ at: string; first: string }> {
    const place = `'[' || case_index || ']' || coalesce('.files[' || file_index || ']', '')`;
    const repeated = this.#database.prepare<[], { at: string; first: string }>(`
      WITH placed AS (
        SELECT case_index, file_index, ${place} AS at, first_value(${place}) OVER same AS first
        FROM (${identifiers}) WINDOW same AS (PARTITION BY id ORDER BY case_index, file_index))
      SELECT at, first FROM placed WHERE at <> first ORDER BY case_index, file_index`);
    yield* repeated.iterate();
  }
}
