/**
 * The bulk files of the registers as published: CSV in UTF-8, one company per line. Columns are found by name, and
 * unknown ones are ignored. `forms` has one row for each register.
 */
import { pipeline } from 'node:stream/promises';
import { CsvError, parse, type Parser } from 'csv-parse';
import type { Fault } from '../../domain/case-import.ts';
import type { RegisterEntry, RegisterName } from '../../store/staged-imports.ts';

/** The maximum number of reported faults; reading stops when it is reached. */
export const maxFaults = 20;

export class BulkFileError extends Error {
  override readonly name = 'BulkFileError';
  /** The first faults, in the order of the file, each with its line, preceded by the file's name if there are several. */
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ place, message }) => `${place}: ${message}`).join('\n'));
    this.faults = faults;
  }
}

/** An entry as it is read, without its place. */
type Entry = Omit<RegisterEntry, 'line' | 'file'>;

interface RegisterForm<Column extends string = string> {
  /** The columns that are read. A file with all of them in its header belongs to the register. */
  readonly columns: readonly Column[];
  /** Describes the expected file in the message about a wrong header. */
  readonly described: string;
  /** Describes the file in the message about its import as another register. */
  readonly mistaken: string;
  entryOf(line: Record<Column, string>): Entry;
  faultOf(entry: Entry): string | undefined;
  /** The names of the register's files, if it has several, and the one that a line belongs in. */
  readonly files?: readonly string[];
  fileOf?(line: Record<Column, string>): string;
}

/** The UK register's free company data product: one file of 55 columns. Some names in its header begin with a space. */
const companyForm: RegisterForm<'CompanyName' | 'CompanyNumber' | 'CompanyStatus'> = {
  columns: ['CompanyName', 'CompanyNumber', 'CompanyStatus'],
  described: "the UK register's free company data product (BasicCompanyDataAsOneFile, unpacked)",
  mistaken: 'the UK register of companies: import it with --register uk-companies',
  entryOf: ({ CompanyNumber: number, CompanyName: name, CompanyStatus: status }) => ({
    company_number: number.trim().toUpperCase(),
    name: name.trim(),
    status: status.trim(),
  }),
  faultOf: ({ company_number: number, name, status }) => {
    if (!/^[0-9A-Z]{8}$/.test(number))
      return `CompanyNumber must be 8 letters and digits, not "${number.slice(0, 20)}".`;
    if (name === '') return 'CompanyName must not be empty.';
    return faultOfText([name, status], 'CompanyName and CompanyStatus');
  },
};

const corporationColumns = [
  'Corporation number',
  'Business number (BN)',
  'Corporate name - form 1',
  'Corporate name - form 2',
  'Governing legislation',
  'Status',
  'Status Detail',
] as const;
const corporationFile = (state: string, act: string) => `corporations-${state}-${act}-en.csv`;
const states = ['active', 'inactive-or-dissolved'];

/**
 * The federal corporations of Canada as published daily: four files of
 * https://open.canada.ca/data/en/dataset/0032ce54-c5dd-4b66-99a0-320a7b5e99f2. Their former XML archive is not read.
 */
const corporationForm: RegisterForm<(typeof corporationColumns)[number]> = {
  columns: corporationColumns,
  described: 'the English files of the federal corporations (corporations-…-en.csv)',
  mistaken: 'a file of the federal corporations of Canada: import all four with --register ca-corporations',
  entryOf: (line) => ({
    company_number: line['Corporation number'].trim().replace(/^0+(?=\d)/, ''),
    // As in `835752437`; a program account after it is not part of the business number.
    business_number: line['Business number (BN)'].trim().replace(/^(\d{9})RC\d{4}$/, '$1') || null,
    name: line['Corporate name - form 1'].trim(),
    other_name: line['Corporate name - form 2'].trim() || null,
    status: line['Status Detail'].trim() || line.Status.trim(),
  }),
  faultOf: ({ company_number: number, business_number: businessNumber, name, other_name: otherName, status }) => {
    if (!/^\d{1,10}$/.test(number)) return `Corporation number must be up to 10 digits, not "${number.slice(0, 20)}".`;
    if (businessNumber != null && !/^\d{9}$/.test(businessNumber))
      return `Business number (BN) must be 9 digits or empty, not "${businessNumber.slice(0, 20)}".`;
    if (name === '') return 'Corporate name - form 1 must not be empty.';
    if (status === '') return 'Status must not be empty.';
    return faultOfText([name, otherName, status], 'Names and status');
  },
  files: states.flatMap((state) => ['cbca', 'non-cbca'].map((act) => corporationFile(state, act))),
  fileOf: (line) =>
    corporationFile(
      line.Status.trim() === 'Active' ? 'active' : 'inactive-or-dissolved',
      line['Governing legislation'].trim() === 'Canada Business Corporations Act' ? 'cbca' : 'non-cbca',
    ),
};

const forms: Record<RegisterName, RegisterForm> = { 'uk-companies': companyForm, 'ca-corporations': corporationForm };

/**
 * Reads the companies of a register, one file after the other, in parts. `onBytes` gets the number of bytes read of all files.
 * @throws {BulkFileError} if one has another format or a fault, or is missing; else what reading them throws
 */
export async function* readRegister(
  register: RegisterName,
  given: readonly { readonly name: string; readonly content: AsyncIterable<string | Uint8Array> }[],
  onBytes?: (read: number) => void,
): AsyncGenerator<RegisterEntry[]> {
  const form = forms[register];
  const { files = [] } = form;
  const missing = new Set(files);
  const several = files.length > 0;
  let read = 0;
  const onChunk = (bytes: number) => onBytes?.((read += bytes));
  for (const { name, content } of given)
    try {
      const onLine = (line: Record<string, string>) => missing.delete(form.fileOf?.(line) ?? '');
      const parts = readFile(content, form, { onChunk, onLine });
      for await (const part of parts) yield several ? part.map((entry) => ({ ...entry, file: name })) : part;
    } catch (error) {
      if (!(error instanceof BulkFileError && several)) throw error;
      throw new BulkFileError(error.faults.map((fault) => ({ ...fault, place: `${name} ${fault.place}` })));
    }
  const message = `It has no line that belongs in ${[...missing].join(', ')}. Import all four files.`;
  if (missing.size > 0) throw new BulkFileError([{ place: 'the register', message }]);
}

const firstBytes = 512;

/** Content that is not CSV, recognised by its first bytes, and the message that says what to do. */
const otherContents: readonly (readonly [begins: RegExp, message: string])[] = [
  [/^PK\u0003\u0004/, 'It is a ZIP archive: unpack it.'],
  [/^\u001f\u008b/, 'It is compressed with gzip: unpack it.'],
  [/^(?:\u00ff\u00fe|\u00fe\u00ff)/, 'It is text in UTF-16. The registers are published in UTF-8: download it again.'],
  [/^<(?:!doctype html|html)/i, 'It is a web page, not a register: the download has failed.'],
  [/^<[^]*corpcan/i, 'It is the former XML edition of the federal corporations. Import the CSV files.'],
  [/^</, 'It is XML, not CSV.'],
  [/^[{[]/, 'It is JSON, not CSV.'],
];

/** Passes a file on, unless its first bytes show that it is not CSV. @throws {BulkFileError} */
async function* refuseOtherContent(
  file: AsyncIterable<string | Uint8Array>,
  onChunk: (bytes: number) => void,
): AsyncGenerator<string | Uint8Array> {
  let first = Buffer.alloc(0);
  let checked = false;
  for await (const chunk of file) {
    onChunk(chunk.length);
    if (checked) yield chunk;
    else first = Buffer.concat([first, Buffer.from(chunk as string)]);
    if (checked || first.length < firstBytes) continue;
    checked = true;
    yield checkedBeginning(first);
  }
  if (!checked) yield checkedBeginning(first);
}

function checkedBeginning(first: Buffer): Buffer {
  const text = first
    .toString('latin1', 0, firstBytes)
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();
  const other = otherContents.find(([begins]) => begins.test(text));
  if (other) throw new BulkFileError([{ place: 'line 1', message: other[1] }]);
  return first;
}

const entriesOfPart = 5000;
/** Far above the longest line: an unclosed quotation mark would otherwise read the rest of the file into memory. */
const maxLineCharacters = 100_000;

/** The parser bounds the characters of a line but not its commas, each of which takes far more memory than its byte. */
async function* refuseEndlessLine(
  file: AsyncIterable<string | Uint8Array>,
  { info, options }: Parser,
): AsyncGenerator<string | Uint8Array> {
  let [endedBefore, length] = [0, 0];
  for await (const chunk of file) {
    yield chunk;
    const ended = info.records + info.empty_lines;
    length = ended === endedBefore ? length + chunk.length : 0;
    endedBefore = ended;
    if (length > maxLineCharacters)
      throw new CsvError('CSV_MAX_RECORD_SIZE', `Max Record Size: more than ${maxLineCharacters}`, options, info);
  }
}

/** Reads a file in parts. After a fault it only reads on to report further faults. @throws {BulkFileError} */
async function* readFile(
  file: AsyncIterable<string | Uint8Array>,
  form: RegisterForm,
  { onChunk, onLine }: { onChunk: (bytes: number) => void; onLine: (line: Record<string, string>) => void },
): AsyncGenerator<RegisterEntry[]> {
  const faults: Fault[] = [];
  const parser = parse<RegisterEntry, Record<string, string>>({
    bom: true,
    skip_empty_lines: true,
    max_record_size: maxLineCharacters,
    columns: (header: string[]) => chooseColumns(header, form),
    on_record: (line, { lines }) => {
      onLine(line);
      const entry = form.entryOf(line);
      const message = form.faultOf(entry);
      if (message === undefined) return { ...entry, line: lines };
      faults.push({ place: `line ${lines}`, message });
      if (faults.length === maxFaults) throw new BulkFileError(faults);
      return null;
    },
  });
  // The parser reports every failure.
  pipeline(refuseEndlessLine(refuseOtherContent(file, onChunk), parser), parser).catch(() => undefined);
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

function faultOfText(texts: readonly (string | null | undefined)[], columns: string): string | undefined {
  return /[\0\ufffd]/.test(texts.join('')) ? `${columns} must be text in UTF-8.` : undefined;
}

function chooseColumns(header: string[], form: RegisterForm): (string | false)[] {
  const names = header.map((name) => name.trim());
  const missing = missingFrom(names, form.columns);
  if (missing.length > 0) {
    const other = Object.values(forms).find(({ columns }) => missingFrom(names, columns).length === 0);
    const message = other
      ? `It is ${other.mistaken}.`
      : `The header must name ${missing.join(', ')} once, like that of ${form.described}.`;
    throw new BulkFileError([{ place: 'line 1', message }]);
  }
  return names.map((name) => form.columns.find((column) => column === name) ?? false);
}

function missingFrom(names: readonly string[], columns: readonly string[]): string[] {
  return columns.filter((column) => names.filter((name) => name === column).length !== 1);
}

function faultOfSyntax(error: CsvError): Fault {
  const { lines } = error as CsvError & { lines?: number };
  return { place: `line ${lines ?? 1}`, message: `It is not valid CSV. ${error.message}.` };
}
