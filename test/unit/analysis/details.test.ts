import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findDetails, maxDetails } from '../../../src/analysis/details/find-details.ts';
import type { Detail } from '../../../src/domain/analysis.ts';
import { comparableText, namesCompany } from '../../../src/analysis/details/names-company.ts';

/** What a text of one page names, as `value (as found)`. */
const found = (text: string): string[] =>
  findDetails([text]).map(({ kind, value, found_as }) => `${kind} ${value} (${found_as})`);
const values = (text: string) => findDetails([text]).map(({ kind, value }) => `${kind} ${value}`);

/** Spellings of each kind, and each detail as `value (as found)`, which in brackets are the number without separators. */
const spellings: Record<Detail['kind'], [text: string, detail: string][]> = {
  'uk-company-number': [
    ['Company number: 01234567', '01234567 (01234567)'],
    ['Company No. 1234567', '01234567 (1234567)'],
    ['COMPANY REG. NO: SC123456', 'SC123456 (SC123456)'],
    ['Company registration number oc 301234', 'OC301234 (oc 301234)'],
    ['Company # 01 234 567', '01234567 (01 234 567)'],
    ['Companies House number 0123 4567', '01234567 (0123 4567)'],
    ['Co. No. NI012345', 'NI012345 (NI012345)'],
    ['CRN 01234567', '01234567 (01234567)'],
    ['The registered number of the firm is not it, but registered number is 445790', '00445790 (445790)'],
    ['Registered in England and Wales (No. 01234567)', '01234567 (01234567)'],
    ['registered in England & Wales under company number 01234567.', '01234567 (01234567)'],
    ['Registered in England\nNo 01234567, VAT', '01234567 (01234567)'],
    ['Registered in Scotland SC123456', 'SC123456 (SC123456)'],
    ['Company number\n\n01234567 78 High Street', '01234567 (01234567)'],
  ],
  'uk-vat-number': [
    ['VAT Registration Number (GB): 123.4567.82', 'GB123456782 (123.4567.82)'],
    ['V.A.T. Reg No: gb123-4567-82', 'GB123456782 (gb123-4567-82)'],
    ['Our VAT ID is GB123\u00a04567\u00a082.', 'GB123456782 (GB123\u00a04567\u00a082)'],
    ['VAT no. 123456782001', 'GB123456782001 (123456782001)'],
    ['VAT no. GB 123 4567 82 001', 'GB123456782001 (GB 123 4567 82 001)'],
    // The telephone number behind it is none of its branches.
    ['VAT no. 123 4567 82 020 7946 0000', 'GB123456782 (123 4567 82)'],
  ],
  'unsupported-vat-number': [
    ...['VAT [DE136695976]', 'USt-IdNr. [DE 136 695 976]', 'UID: [ATU13585627]', 'BTW [BE 0428.759.497]'],
    ...['TVA [BE 0776 091 951]', 'ДДС [BG175074752]', 'VAT no [CY10259033P]', 'DIČ [CZ25123891]', 'Moms [DK 13585628]'],
    ...['KMKR [EE100931558]', 'ΑΦΜ [EL094259216]', 'NIF [ESB58378431]', 'NIF [ES54362315K]', 'ALV [FI20774740]'],
    ...['TVA intracommunautaire [FR 40 303 265 045]', 'N° TVA : [FR40303265045]', 'VAT [HR33392005961]'],
    ...['VAT [HU12892312]', 'VAT reg. no. [IE 6433435F]', 'VAT [IE6433435OA]', 'P.IVA [IT00743110157]'],
    ...['Partita IVA: [IT 00743110157]', 'PVM [LT119511515]', 'TVA [LU15027442]', 'PVN [LV40003521600]'],
    ...['VAT [MT11679112]', 'BTW-nummer [NL004495445B01]', 'NIP [PL 856-734-62-15]', 'NIF [PT501964843]'],
    ...[
      'CIF [RO18547290]',
      'TVA [RO18547290]',
      'Momsnr [SE123456789701]',
      'VAT [SE 1234567897 01]',
      'DDV [SI50223054]',
    ],
    ...['IČ DPH [SK2022749619]', '[CHE-107.787.577] MWST', 'MWST [CHE-107.787.577]', 'VAT [NO 995525828 MVA]'],
    ...['VAT [XI123456782]', '[NO 995 525 828 MVA]'],
  ].map((marked): [string, string] => {
    const number = marked.replace(/.*\[|\].*/g, '');
    return [marked.replace(/[[\]]/g, ''), `${number.replace(/[ .-]/g, '')} (${number})`];
  }),
  'ca-business-number': [
    ['GST/HST registration number 123456782', '123456782 (123456782)'],
    ['Numéro d’entreprise : 123\n456 782', '123456782 (123 456 782)'],
    ['Business number: 123\r\n456 782', '123456782 (123 456 782)'],
    ['No TPS : 123-456-782', '123456782 (123-456-782)'],
    ['GST# 123456782', '123456782 (123456782)'],
  ],
  'ca-corporation-number': [
    ['Corporation number: 426160-7', '4261607 (426160-7)'],
    ['Federal Corporation No. 4261607', '4261607 (4261607)'],
    ['Corporation Number\n\n11125885', '11125885 (11125885)'],
    ['Canada corporation # 426 160-7', '4261607 (426 160-7)'],
    ['corporation number is 0090018', '90018 (0090018)'],
    ['CORP. NO. 1007', '1007 (1007)'],
    ['Numéro de société : 426160-7', '4261607 (426160-7)'],
    ['No de la société 82108\u20110', '821080 (82108\u20110)'],
  ],
  'ca-gst-hst-account': [
    ['Total 1234\n123456782RT0001', '123456782RT0001 (123456782RT0001)'],
    ['GST/HST No. 12345 6782 RT 0001', '123456782RT0001 (12345 6782 RT 0001)'],
    ['Business number 123456782-rt0002', '123456782RT0002 (123456782-rt0002)'],
  ],
};

describe.each(Object.entries(spellings))('%s', (kind, rows) => {
  test.each(rows)('%j', (text, expected) => {
    expect(found(text)).toEqual([`${kind} ${expected}`]);
  });
});

test.each([
  ...['Telephone 01234567', 'Invoice number 01234567', 'Invoice 123456782 of 12 March', 'Company telephone 01234567'],
  ...['Registered charity number 1234567', 'Company number 123456-7', 'Company number 1234567890'],
  ...['Company number 00000000', 'Account 12345678, sort code 12-34-56', 'IBAN GB29 NWBK 6016 1331 9268 19'],
  ...['VAT registered number 12345678', 'VAT 20%: 123456782.00', 'VAT on invoice 123456782', 'VAT number 000000000'],
  ...['VATICAN 123456782', 'VAT number 1234567820', 'SIN 123 456 782', 'Telephone 613 123 456 782 RT 0001'],
  ...['Business number 000000000', 'Ontario Corporation Number 1234567', 'Quebec\ncorporation no. 1234567'],
  ...['B.C. Corporation No. 1234567', 'Incorporation number 1234567', 'Corporation number 123456789'],
  ...['Corporation number 2026-11-22', 'Corporation number 613-555-0199', 'Corporation number 0000000'],
  ...['Corporation tax number 4261607', 'order 123456782RT00012', 'IBAN DE89 3704 0044 0532 0130 00', 'DE136695976'],
  ...['VAT DE136695975', 'VAT DE136695976123', 'VAT NO 995525828', 'VAT no 136695976'],
  'VAT is 12.50 EUR, DE 136 695 976',
])('%j: no detail', (text) => {
  expect(found(text)).toEqual([]);
});

test('each is given once, with the place at which it stands first', () => {
  const pages = [
    'nothing',
    'VAT no. GB 123 4567 82, company number 01234567',
    'Company number 1234567, VAT no. 123456782, BN 123456782',
  ];
  expect(findDetails(pages)).toEqual([
    { kind: 'uk-vat-number', value: 'GB123456782', found_as: 'GB 123 4567 82', page: 2 },
    { kind: 'uk-company-number', value: '01234567', found_as: '01234567', page: 2 },
    { kind: 'ca-business-number', value: '123456782', found_as: '123456782', page: 3 },
  ]);
});

test('a text with more details gives the first hundred', () => {
  const numbers = Array.from({ length: maxDetails + 1 }, (_, index) => String(10_000_000 + index));
  const lines = numbers.map((number) => `Company number ${number}`);
  const first = numbers.slice(0, maxDetails);
  expect(findDetails([lines.join('\n')]).map(({ value }) => value)).toEqual(first);
  expect(findDetails(lines).map(({ value }) => value)).toEqual(first);
});

const digitsOf = (count: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: count, maxLength: count }).filter(([first]) => first !== 0);

/** The two check digits of a VAT registration number, by the modulus 97 of HMRC: the older way, and with 55 more. */
const vatNumber = fc.tuple(digitsOf(7), fc.constantFrom(0, 55)).map(([body, more]) => {
  const sum = body.reduce((total, digit, index) => total + digit * (8 - index), more);
  return body.join('') + String((97 - (sum % 97)) % 97).padStart(2, '0');
});

/** With the check digit of Luhn. */
const businessNumber = digitsOf(8).map((body) => {
  const sum = body.reduce((total, digit, index) => {
    const weighted = index % 2 === 1 ? digit * 2 : digit;
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return body.join('') + String((10 - (sum % 10)) % 10);
});

const separators = fc.array(fc.constantFrom('', '', '', ' ', '-', '.', '\u00a0', '\n'), { minLength: 8, maxLength: 8 });

/** The digits with separators between some of them. */
const spelled = (number: string, between: string[]) =>
  Array.from(number, (digit, index) => digit + (between[index] ?? '')).join('');

const before = fc.constantFrom('', 'Total due 1,234.00\n', 'Tel. 020 7946 0000 ');
const after = fc.constantFrom('', '.', '\nInvoice 123456', ' (see overleaf)', ', London');

const vatLabels = ['VAT ', 'VAT no. ', 'VAT Reg No: ', 'Vat registration number:\n', 'VAT ID GB', 'V.A.T. No GB '];
const businessLabels = ['BN ', 'Business number: ', 'GST/HST no. ', "Numéro d'entreprise\n"];

/** The number with its last digit changed by so much. */
const mistyped = (number: string, by: number) => number.slice(0, -1) + String((Number(number.at(-1)) + by) % 10);

const nothing = fc.constant('');
const account = fc.integer({ min: 1, max: 9999 }).map((number) => ` RT${String(number).padStart(4, '0')}`);
type Texts = fc.Arbitrary<string>;

test.each<[string, Texts, labels: string[], [before: Texts, ending: Texts, after: Texts]]>([
  ['uk-vat-number GB', vatNumber, vatLabels, [before, nothing, after]],
  ['ca-business-number ', businessNumber, businessLabels, [before, nothing, after]],
  ['ca-gst-hst-account ', businessNumber, [...businessLabels, ''], [nothing, account, nothing]],
])('%s is found in any spelling', (kind, numbers, labels, others) => {
  fc.assert(
    fc.property(
      numbers,
      separators,
      fc.constantFrom(...labels),
      ...others,
      (number, between, label, start, end, rest) => {
        expect(values(start + label + spelled(number, between) + end + rest)).toEqual([kind + number + end.trim()]);
      },
    ),
  );
});

test('one with a wrong check digit is not found', () => {
  fc.assert(
    fc.property(vatNumber, businessNumber, fc.integer({ min: 1, max: 9 }), (vat, business, by) => {
      const wrong = mistyped(business, by);
      expect(values(`BN ${wrong}, GST ${wrong}, ${wrong}RT0001`)).toEqual([]);
      expect(values(`VAT no. ${mistyped(vat, by)}`)).toEqual([]);
    }),
  );
});

/** `|` ends a page. */
const names = (document: string, registered: string) => namesCompany(comparableText(document.split('|')), registered);

test.each([
  ['Invoice of Smith & Jones (Holdings) Limited, London', 'SMITH AND JONES (HOLDINGS) LTD'],
  ['Smith and Jones Ltd.', 'SMITH & JONES LIMITED'],
  ['Tesco Public Limited Company', 'TESCO PLC'],
  ['Tesco p.l.c.', 'TESCO PLC'],
  ['OF COUNSEL LLP', 'Of Counsel Limited Liability Partnership'],
  ["From: O'Neill’s Cafés,\nInc.", 'ONEILLS CAFES INCORPORATED'],
  ['Siop Cymru Cyfyngedig', 'SIOP CYMRU LIMITED'],
  ['Les Bidules Acmé Limitée', 'LES BIDULES ACME LTEE'],
  ['Bidules inc.', 'BIDULES INCORPORÉE'],
  ['A.B.C. Ltd', 'ABC LTD'],
  ['Acme\n  Widgets\tLtd', 'ACME WIDGETS LTD'],
  ['Acme-Widgets Ltd', 'ACME WIDGETS LTD'],
  ['Supplier: ACME LTD', 'Acme Ltd'],
  ['payable to Acme|Widgets Limited', 'ACME WIDGETS LTD'],
])('%j names %j', (document, registered) => {
  expect(names(document, registered)).toBe(true);
});

test.each([
  ['Acme Widgets', 'ACME WIDGETS LTD'],
  ['Acme Ltd', 'ACME WIDGETS LTD'],
  ['Acme Widgets PLC', 'ACME WIDGETS LTD'],
  ['Pacme Widgets Ltd', 'ACME WIDGETS LTD'],
  ['Acme Widgets Ltda', 'ACME WIDGETS LTD'],
  ['Widgets Acme Ltd', 'ACME WIDGETS LTD'],
  ['Acme, and also Widgets Ltd', 'ACME WIDGETS LTD'],
  ['anything at all', '...'],
  ['', 'ACME LTD'],
])('%j does not name %j', (document, registered) => {
  expect(names(document, registered)).toBe(false);
});
