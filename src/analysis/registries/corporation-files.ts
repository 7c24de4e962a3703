/**
 * The federal corporations of Canada as Corporations Canada publishes them daily: four CSV files of 18 columns, named
 * `corporations-{active,inactive-or-dissolved}-{cbca,non-cbca}-en.csv`, in the data set "Federal Corporations" of the
 * Open Government Portal (https://open.canada.ca/data/en/dataset/0032ce54-c5dd-4b66-99a0-320a7b5e99f2). The XML archive
 * OPEN_DATA_SPLIT.zip that they replaced is not read.
 */
import type { RegisterEntry } from '../../store/company-register-store.ts';
import { BulkFileError } from './bulk-file-error.ts';
import { bulkFileColumns, corporationColumns } from './register-columns.ts';
import { faultOfText, readRegisterFile, type RegisterForm } from './register-file.ts';

type Line = Record<(typeof corporationColumns)[number], string>;

/** A file of the register, with its name for messages. */
export interface CorporationFile {
  readonly name: string;
  readonly content: AsyncIterable<string | Uint8Array>;
}

const businessLegislation = 'Canada Business Corporations Act';
const parts = [
  'active-cbca',
  'active-non-cbca',
  'inactive-or-dissolved-cbca',
  'inactive-or-dissolved-non-cbca',
] as const;

function partOf(line: Line): (typeof parts)[number] {
  const state = line.Status.trim() === 'Active' ? 'active' : 'inactive-or-dissolved';
  return `${state}-${line['Governing legislation'].trim() === businessLegislation ? 'cbca' : 'non-cbca'}`;
}

/** @param onPart called for each line with the part of the register that the line belongs to */
function formOf(onPart: (part: string) => void): RegisterForm<keyof Line> {
  return {
    columns: corporationColumns,
    described: 'the English files of the federal corporations (corporations-…-en.csv)',
    others: [
      {
        columns: bulkFileColumns,
        described: 'the UK register of companies: import it with --register uk-companies',
      },
    ],
    entryOf: (line) => {
      onPart(partOf(line));
      // As in `835752437`; a program account after it is not part of the business number.
      const businessNumber = line['Business number (BN)'].trim().replace(/^(\d{9})RC\d{4}$/, '$1');
      const otherName = line['Corporate name - form 2'].trim();
      return {
        company_number: line['Corporation number'].trim().replace(/^0+(?=\d)/, ''),
        business_number: businessNumber === '' ? null : businessNumber,
        name: line['Corporate name - form 1'].trim(),
        other_name: otherName === '' ? null : otherName,
        status: line['Status Detail'].trim() || line.Status.trim(),
      };
    },
    faultOf,
  };
}

function faultOf(entry: Omit<RegisterEntry, 'line'>): string | undefined {
  const { company_number: number, business_number: businessNumber, name, other_name: otherName, status } = entry;
  if (!/^\d{1,10}$/.test(number)) return `Corporation number must be up to 10 digits, not "${number.slice(0, 20)}".`;
  if (businessNumber != null && !/^\d{9}$/.test(businessNumber))
    return `Business number (BN) must be 9 digits or empty, not "${businessNumber.slice(0, 20)}".`;
  if (name === '') return 'Corporate name - form 1 must not be empty.';
  if (status === '') return 'Status must not be empty.';
  return faultOfText([name, otherName, status], 'Names and status');
}

/**
 * Reads the corporations of the four files, one file after the other, in parts.
 * @throws {BulkFileError} if a file has another format or an unreadable line, or if one of the four is missing; else
 *   what reading them throws
 */
export async function* readCorporationFiles(files: readonly CorporationFile[]): AsyncGenerator<RegisterEntry[]> {
  const found = new Set<string>();
  for (const { name, content } of files)
    try {
      for await (const part of readRegisterFile(
        content,
        formOf((of) => found.add(of)),
      ))
        yield part.map((entry) => ({ ...entry, file: name }));
    } catch (error) {
      if (!(error instanceof BulkFileError)) throw error;
      throw new BulkFileError(error.faults.map((fault) => ({ ...fault, place: `${name} ${fault.place}` })));
    }
  const missing = parts.filter((part) => !found.has(part)).map((part) => `corporations-${part}-en.csv`);
  if (missing.length > 0)
    throw new BulkFileError([
      {
        place: 'the register',
        message: `It has no line that belongs in ${missing.join(', ')}. Import all four files.`,
      },
    ]);
}
