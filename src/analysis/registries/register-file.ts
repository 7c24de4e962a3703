/**
 * The bulk file of a register: CSV in UTF-8 with one line per company. Only the needed columns are read, found by name,
 * so that a new column does no harm.
 */
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { RegisterEntry } from '../../store/company-register-store.ts';
import { BulkFileError, type BulkFileFault, mostFaults } from './bulk-file-error.ts';
import { refuseOtherContent } from './other-content.ts';

const entriesOfPart = 5000;
/**
 * Far above the longest line. Without a limit, an unclosed quotation mark would read the rest of the file into memory.
 */
const mostCharactersOfLine = 100_000;

/** The format of a register's file. */
export interface RegisterForm<Column extends string> {
  readonly columns: readonly Column[];
  /** Describes the expected file in the message about a wrong header. */
  readonly described: string;
  readonly entryOf: (line: Record<Column, string>) => Omit<RegisterEntry, 'line' | 'file'>;
  /** The fault in an entry; undefined if there is none. */
  readonly faultOf: (entry: Omit<RegisterEntry, 'line' | 'file'>) => string | undefined;
  /** Other registers, whose files may be imported by mistake. */
  readonly others: readonly { readonly columns: readonly string[]; readonly described: string }[];
}

/**
 * Reads the companies of a bulk file in parts. After a fault it yields no more, but reads on to report further faults.
 * @throws {BulkFileError} if the file has another format or an unreadable line; else what reading it throws
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
  // The parser reports every failure.
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
  if (!any) throw new BulkFileError([{ place: 'line 1', message: 'It contains no company.' }]);
}

/** The fault in texts that are not valid UTF-8; undefined if there is none. */
export function faultOfText(texts: readonly (string | null | undefined)[], columns: string): string | undefined {
  return /[\0\ufffd]/.test(texts.join('')) ? `${columns} must be text in UTF-8.` : undefined;
}

/** The name of each column by position, or false if it is not read. */
function chooseColumns<Column extends string>(header: string[], form: RegisterForm<Column>): (string | false)[] {
  const names = header.map((name) => name.trim());
  const missing = missingFrom(names, form.columns);
  if (missing.length > 0) {
    const other = form.others.find(({ columns }) => missingFrom(names, columns).length === 0);
    const message = other
      ? `It is ${other.described}.`
      : `The header must name ${missing.join(', ')} once, like that of ${form.described}.`;
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
