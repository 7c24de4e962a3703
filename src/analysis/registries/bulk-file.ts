/**
 * The UK register's free company data product: one CSV file with a line for each company. Some of the names in its header
 * begin with a space. Of its 55 columns three are read, found by their names, so that a new column does no harm.
 */
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { RegisterEntry } from '../../store/company-register-store.ts';

const entriesOfPart = 5000;
/** So many faults of a file are told; then it is not read any further. */
export const mostFaults = 20;
/** Far above the longest line; a quotation mark that is never closed would take all that follows into memory. */
const mostCharactersOfLine = 100_000;
const readColumns = ['CompanyName', 'CompanyNumber', 'CompanyStatus'] as const;

type Line = Record<(typeof readColumns)[number], string>;

/** What is wrong with a file; `place` is a line of it. */
export interface BulkFileFault {
  place: string;
  message: string;
}

/** A file is not what it should be. */
export class BulkFileError extends Error {
  override readonly name = 'BulkFileError';
  /** The first of them, in the order of the file. */
  readonly faults: readonly BulkFileFault[];

  constructor(faults: readonly BulkFileFault[]) {
    super(faults.map(({ place, message }) => `${place}: ${message}`).join('\n'));
    this.faults = faults;
  }
}

/**
 * Reads the companies of a bulk file in parts. After a fault it gives no more, but reads on to tell others too.
 * @throws {BulkFileError} if the file has another layout, or a line that cannot be read; else what reading it throws
 */
export async function* readBulkFile(file: AsyncIterable<string | Uint8Array>): AsyncGenerator<RegisterEntry[]> {
  const faults: BulkFileFault[] = [];
  const parser = parse<RegisterEntry, Line>({
    bom: true,
    skip_empty_lines: true,
    max_record_size: mostCharactersOfLine,
    columns: chooseColumns,
    on_record: (line, { lines }) => {
      const entry = entryOf(line, lines);
      const message = faultOf(entry);
      if (message === undefined) return entry;
      faults.push({ place: `line ${lines}`, message });
      if (faults.length === mostFaults) throw new BulkFileError(faults);
      return null;
    },
  });
  // Whatever fails, the parser tells it.
  pipeline(file, parser).catch(() => undefined);
  let any = false;
  try {
    let part: RegisterEntry[] = [];
    for await (const entry of parser as AsyncIterable<RegisterEntry>) {
      any = true;
      if (faults.length > 0) continue;
      part.push(entry);
      if (part.length < entriesOfPart) continue;
      yield part;
      part = [];
    }
    if (part.length > 0 && faults.length === 0) yield part;
  } catch (error) {
    if (error instanceof CsvError) throw new BulkFileError([...faults, faultOfSyntax(error)]);
    throw error;
  }
  if (faults.length > 0) throw new BulkFileError(faults);
  if (!any) throw new BulkFileError([{ place: 'line 1', message: 'There is no company in it.' }]);
}

/** The columns that are read, by their place; those that are not are false. */
function chooseColumns(header: string[]): (keyof Line | false)[] {
  const names = header.map((name) => name.trim());
  const missing = readColumns.filter((column) => names.filter((name) => name === column).length !== 1);
  if (missing.length > 0)
    throw new BulkFileError([
      {
        place: 'line 1',
        message:
          `The header must name ${missing.join(', ')} once, as that of the UK register's free company data product does ` +
          '(BasicCompanyDataAsOneFile, unpacked).',
      },
    ]);
  return names.map((name) => readColumns.find((column) => column === name) ?? false);
}

function entryOf({ CompanyNumber: number, CompanyName: name, CompanyStatus: status }: Line, line: number) {
  return { company_number: number.trim().toUpperCase(), name: name.trim(), status: status.trim(), line };
}

function faultOf({ company_number: number, name, status }: RegisterEntry): string | undefined {
  if (!/^[0-9A-Z]{8}$/.test(number)) return `CompanyNumber must be 8 letters and digits, not "${number.slice(0, 20)}".`;
  if (name === '') return 'CompanyName must not be empty.';
  if (/[\0\ufffd]/.test(name + status)) return 'CompanyName and CompanyStatus must be text in UTF-8.';
  return undefined;
}

function faultOfSyntax(error: CsvError): BulkFileFault {
  const { lines } = error as CsvError & { lines?: number };
  return { place: `line ${lines ?? 1}`, message: `It is not valid CSV. ${error.message}.` };
}
