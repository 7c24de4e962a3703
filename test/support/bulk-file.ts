/** The bulk files of registers, as their publishers write them: CSV, and a ZIP archive of it. */
import { crc32, deflateRawSync } from 'node:zlib';

/** The header of the UK register's free company data product, with the spaces that it has. */
export const bulkFileHeader = [
  'CompanyName, CompanyNumber,RegAddress.CareOf,RegAddress.POBox,RegAddress.AddressLine1, RegAddress.AddressLine2',
  'RegAddress.PostTown,RegAddress.County,RegAddress.Country,RegAddress.PostCode,CompanyCategory,CompanyStatus',
  'CountryOfOrigin,DissolutionDate,IncorporationDate,Accounts.AccountRefDay,Accounts.AccountRefMonth',
  'Accounts.NextDueDate,Accounts.LastMadeUpDate,Accounts.AccountCategory,Returns.NextDueDate,Returns.LastMadeUpDate',
  'Mortgages.NumMortCharges,Mortgages.NumMortOutstanding,Mortgages.NumMortPartSatisfied,Mortgages.NumMortSatisfied',
  'SICCode.SicText_1,SICCode.SicText_2,SICCode.SicText_3,SICCode.SicText_4,LimitedPartnerships.NumGenPartners',
  'LimitedPartnerships.NumLimPartners,URI',
  Array.from({ length: 10 }, (_, index) => `PreviousName_${index + 1}.CONDATE, PreviousName_${index + 1}.CompanyName`),
  'ConfStmtNextDueDate, ConfStmtLastMadeUpDate',
]
  .flat()
  .join(',');

export function bulkFileLine(number: string, name: string, status = 'Active'): string {
  const cells = [
    ...[name, number, '', '', '12 HIGH STREET', 'GREAT WIGSTON', 'LEICESTER', 'LEICESTERSHIRE', 'UNITED KINGDOM'],
    ...['LE18 2AB', 'Private Limited Company', status, 'United Kingdom', '', '02/03/2016', '31', '3', '31/12/2026'],
    ...['31/03/2025', 'TOTAL EXEMPTION FULL', '30/03/2017', '', '0', '0', '0', '0'],
    ...['62020 - Information technology consultancy activities', '', '', '', '0', '0'],
    `http://business.data.gov.uk/id/company/${number}`,
    ...Array.from({ length: 20 }, () => ''),
    ...['15/03/2027', '01/03/2026'],
  ];
  return cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
}

export function bulkFile(...lines: string[]): string {
  return [bulkFileHeader, ...lines, ''].join('\r\n');
}

/** A number of eight digits for each index below ten million, in no order, as a file sorted by name has them. */
export function scatteredNumber(index: number): string {
  return String((index * 7_654_321) % 10_000_019).padStart(8, '0');
}

/** The names of the four files of 18 columns in which Corporations Canada publishes the federal corporations. */
export const corporationFileNames = [
  'corporations-active-cbca-en.csv',
  'corporations-active-non-cbca-en.csv',
  'corporations-inactive-or-dissolved-cbca-en.csv',
  'corporations-inactive-or-dissolved-non-cbca-en.csv',
] as const;

export const corporationHeader = [
  'Corporation number,Business number (BN),Corporate name - form 1,Corporate name - form 2,Governing legislation,Status',
  'Status Detail,Anniversary date,Year of last annual filing,Date of last annual meeting,Street,Street 2,City/town',
  'Province/territory,Country,Postal code,Minimum number of directors,Maximum number of directors',
].join(',');

export interface CorporationLine {
  number: string;
  businessNumber?: string;
  name: string;
  otherName?: string;
  status?: string;
  detail?: string;
}

const legislations = ['Canada Business Corporations Act', 'Canada Not-for-profit Corporations Act'] as const;

export function corporationLine(line: CorporationLine, legislation: string = legislations[0]): string {
  const { number, businessNumber = '', name, otherName = '', status = 'Active', detail = '' } = line;
  const cells = [
    ...[number, businessNumber, name, otherName, legislation, status, detail, '2013-10-10', '2025', '2025-12-03'],
    ...["151 O'Connor Street", 'Ground Floor', 'Ottawa', 'ON', 'CA', 'K2P 2L8', '1', '10'],
  ];
  return cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}

export function corporationFile(...lines: string[]): string {
  return [corporationHeader, ...lines, ''].join('\n');
}

/** The texts of the four files by their names, each with one corporation of its kind, and the first with these others. */
export function corporationFiles(...others: CorporationLine[]): Record<(typeof corporationFileNames)[number], string> {
  const [business, other] = legislations;
  const society = { number: '500100', name: 'A SOCIETY' };
  const dissolved = { number: '600100', businessNumber: '100094283', name: 'GONE INC.', status: 'Dissolved' };
  return {
    'corporations-active-cbca-en.csv': corporationFile(
      corporationLine({ number: '400100', name: 'ANY INC.' }),
      ...others.map((line) => corporationLine(line)),
    ),
    'corporations-active-non-cbca-en.csv': corporationFile(corporationLine(society, other)),
    'corporations-inactive-or-dissolved-cbca-en.csv': corporationFile(corporationLine(dissolved, business)),
    'corporations-inactive-or-dissolved-non-cbca-en.csv': corporationFile(
      corporationLine(
        { number: '700100', name: 'AN EARLIER SOCIETY', status: 'Inactive', detail: 'Inactive - Discontinued' },
        other,
      ),
    ),
  };
}

const [localHeader, centralHeader, endOfDirectory] = [0x04034b50, 0x02014b50, 0x06054b50];
const [version, deflated] = [20, 8];

export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [fileName, text] of Object.entries(files)) {
    const [name, packed] = [Buffer.from(fileName), deflateRawSync(text)];
    const facts = numbers([2, version], [2, 0], [2, deflated], [4, 0], [4, crc32(text)], [4, packed.length]);
    const sizes = numbers([4, Buffer.byteLength(text)], [2, name.length], [2, 0]);
    const part = Buffer.concat([numbers([4, localHeader]), facts, sizes, name, packed]);
    const place = numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    directory.push(numbers([4, centralHeader], [2, version]), facts, sizes, place, name);
    parts.push(part);
    offset += part.length;
  }
  const count = Object.keys(files).length;
  const listed = Buffer.concat(directory);
  const counts = numbers([4, endOfDirectory], [2, 0], [2, 0], [2, count], [2, count]);
  return Buffer.concat([...parts, listed, counts, numbers([4, listed.length], [4, offset], [2, 0])]);
}

function numbers(...fields: [bytes: 2 | 4, value: number][]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
