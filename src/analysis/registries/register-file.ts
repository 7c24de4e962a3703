/**
 * The bulk file of a register: CSV in UTF-8 with a line for each company. Only the columns that are needed are read, found by
 * their names, so that a new column does no harm.
 */
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { RegisterEntry } from '../../store/company-register-store.ts';
import { BulkFileError, type BulkFileFault, mostFaults } from './bulk-file-error.ts';
import { refuseOtherContent } from './other-content.ts';

const entriesOfPart = 5000;
/** Far above the longest line; a quotation mark that is never closed would take all that follows into memory. */
const mostCharactersOfLine = 100_000;

/** How the lines of a register's file are read. */
export interface RegisterForm<Column extends string> {
  readonly columns: readonly Column[];
  /** What the header should be that of, and what to do. */
  readonly described: string;
  readonly entryOf: (line: Record<Column, string>) => Omit<RegisterEntry, 'line' | 'file'>;
  /** What is wrong with an entry; undefined if nothing is. */
  readonly faultOf: (entry: Omit<RegisterEntry, 'line' | 'file'>) => string | undefined;
  /** The other registers that a file may be by mistake. */
  readonly others: readonly { readonly columns: readonly string[]; readonly described: string }[];
}

/**
 * Reads the companies of a bulk file in parts. After a fault it gives no more, but reads on to tell others too.
 * @throws {BulkFileError} if the file has another form, or a line that cannot be read; else what reading it throws
 */
export async function* readRegisterFile<Column extends string>(
  file: AsyncIterable<string | Uint8Array>,
  form: RegisterForm<Column>,
): AsyncGenerator<RegisterEntry[]> {
  const faults: BulkFileFault[] = [];
  const parser = parse<RegisterEntry, Record<string, string>>({
    bom: true,
    skip_empty_lines: true,
    max_record_size: mostCharactersOfLine,
    columns: (header: string[]) => chooseColumns(header, form),
    on_record: (line, { lines }) => {
      const entry = form.entryOf(line);
      const message = form.faultOf(entry);
      if (message === undefined) return { ...entry, line: lines };
      faults.push({ place: `line ${lines}`, message });
      if (faults.length === mostFaults) throw new BulkFileError(faults);
      return null;
    },
  });
  // The parser reports whatever fails.
  pipeline(refuseOtherContent(file), parser).catch(() => undefined);
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

/** What is wrong with texts that should be whole text in UTF-8; undefined if nothing is. */
export function faultOfText(texts: readonly (string | null | undefined)[], columns: string): string | undefined {
  return /[\0\ufffd]/.test(texts.join('')) ? `${columns} must be text in UTF-8.` : undefined;
}

/** The columns that are read, by their place; those that are not are false. */
function chooseColumns<Column extends string>(header: string[], form: RegisterForm<Column>): (string | false)[] {
  const names = header.map((name) => name.trim());
  const missing = missingFrom(names, form.columns);
  if (missing.length > 0) {
    const other = form.others.find(({ columns }) => missingFrom(names, columns).length === 0);
    const message = other
      ? `It is ${other.described}.`
      : `The header must name ${missing.join(', ')} once, as that of ${form.described}.`;
    throw new BulkFileError([{ place: 'line 1', message }]);
  }
  return names.map((name) => form.columns.find((column) => column === name) ?? false);
}

function missingFrom<Column extends string>(names: readonly string[], columns: readonly Column[]): Column[] {
  return columns.filter((column) => names.filter((name) => name === column).length !== 1);
}

function faultOfSyntax(error: CsvError): BulkFileFault {
  const { lines } = error as CsvError & { lines?: number };
  return { place: `line ${lines ?? 1}`, message: `It is not valid CSV. ${error.message}.` };
}
