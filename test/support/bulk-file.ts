/** The UK register's free company data product, as its publisher writes it. */

/** The header, with the spaces that it has. */
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

/** The line of a company, without its end. */
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

/** The text of a bulk file with these lines. */
export function bulkFile(...lines: string[]): string {
  return [bulkFileHeader, ...lines, ''].join('\r\n');
}

/** A number of eight digits for each index below ten million, in no order, as a file sorted by name has them. */
export function scatteredNumber(index: number): string {
  return String((index * 7_654_321) % 10_000_019).padStart(8, '0');
}
