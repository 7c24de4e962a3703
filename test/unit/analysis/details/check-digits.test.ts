/** Numbers with check digits, in the many ways in which documents spell them. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findDetails } from '../../../../src/analysis/details/find-details.ts';

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

const vatLabel = fc.constantFrom(
  'VAT ',
  'VAT no. ',
  'VAT Reg No: ',
  'Vat registration number:\n',
  'VAT ID GB',
  'V.A.T. No GB ',
);
const businessLabel = fc.constantFrom('BN ', 'Business number: ', 'GST/HST no. ', "Numéro d'entreprise\n");

const values = (text: string) => findDetails([text]).map(({ kind, value }) => `${kind} ${value}`);

/** The number with its last digit changed by so much. */
const mistyped = (number: string, by: number) => number.slice(0, -1) + String((Number(number.at(-1)) + by) % 10);

test('a VAT registration number is found in any spelling', () => {
  fc.assert(
    fc.property(vatNumber, separators, vatLabel, before, after, (number, between, label, start, end) => {
      expect(values(start + label + spelled(number, between) + end)).toEqual([`uk-vat-number GB${number}`]);
    }),
  );
});

test('a business number is found in any spelling', () => {
  fc.assert(
    fc.property(businessNumber, separators, businessLabel, before, after, (number, between, label, start, end) => {
      expect(values(start + label + spelled(number, between) + end)).toEqual([`ca-business-number ${number}`]);
    }),
  );
});

test('a GST/HST account is found in any spelling, with a label and without', () => {
  const label = fc.oneof(businessLabel, fc.constant(''));
  fc.assert(
    fc.property(
      businessNumber,
      separators,
      label,
      fc.integer({ min: 1, max: 9999 }),
      (number, between, name, account) => {
        const reference = String(account).padStart(4, '0');
        const text = `${name}${spelled(number, between)} RT${reference}`;
        expect(values(text)).toEqual([`ca-gst-hst-account ${number}RT${reference}`]);
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
