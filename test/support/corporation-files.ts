/** The federal corporations of Canada, as Corporations Canada publishes them: four CSV files of 18 columns. */

/** The names of the four files. */
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

/** What differs from one corporation to the other. */
export interface CorporationLine {
  number: string;
  businessNumber?: string;
  name: string;
  otherName?: string;
  status?: string;
  detail?: string;
}

const legislations = ['Canada Business Corporations Act', 'Canada Not-for-profit Corporations Act'] as const;

/** The line of a corporation, without its end. */
export function corporationLine(line: CorporationLine, legislation: string = legislations[0]): string {
  const { number, businessNumber = '', name, otherName = '', status = 'Active', detail = '' } = line;
  const cells = [
    ...[number, businessNumber, name, otherName, legislation, status, detail, '2013-10-10', '2025', '2025-12-03'],
    ...["151 O'Connor Street", 'Ground Floor', 'Ottawa', 'ON', 'CA', 'K2P 2L8', '1', '10'],
  ];
  return cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
}

/** The text of a file with these lines. */
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
