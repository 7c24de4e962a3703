import { validate as validateVat } from 'stdnum/lib/cjs/gb/vat.js';
import {
  compact,
  type DetailPattern,
  digits,
  gap,
  mark,
  numberWord,
  separator,
  vatQualifiers,
} from './detail-pattern.ts';

/** The register's prefixes: part of the kingdom and kind of company. A company of England and Wales often has none. */
const prefixes =
  'AC|BR|CE|CS|FC|FE|GE|GN|GS|IC|IP|LP|NA|NC|NF|NI|NL|NO|NP|NR|NV|NZ|OC|OE|PC|R0|RC|RS|SA|SC|SE|SF|SG|SI|SL|SO|SP|SR|SZ|UN|ZC';

/** Leading zeros are often omitted, and older numbers have many. */
const companyNumber = String.raw`(?:${prefixes})${separator}?(?:\d{3}${separator}\d{3}|\d{4,6})|\d{6,8}|\d{4} \d{4}|\d{2} \d{3} \d{3}|\d{3} \d{3} \d{2}|\d{2} \d{2} \d{2} \d{2}`;

const country = String.raw`(?:england|wales|scotland|northern\s{1,3}ireland|great\s{1,3}britain|(?:the\s{1,3})?(?:uk|united\s{1,3}kingdom))`;

/** The number has no check digit, so only its label distinguishes it from other numbers. */
const companyLabels = [
  String.raw`(?:company|companies\s{1,3}house|co)(?!\p{L})${gap}(?:reg(?:istration|istered)?(?!\p{L})(?:${gap}${numberWord})?|${numberWord})`,
  String.raw`(?<!(?:vat|charity|fca|ico|paye|tax|trade\s?mark)\s{1,3})registered${gap}${numberWord}`,
  String.raw`partnership${gap}(?:registration${gap})?${numberWord}`,
  String.raw`registered${gap}in${gap}${country}(?:\s{1,3}(?:and|&)\s{1,3}${country})?(?:${gap}(?:with|under|as|the|company|reg(?:istration|istered)?|${numberWord})(?!\p{L})){0,5}`,
  'crn',
].join('|');

/** After a separator, only its first digit distinguishes a group's branch number from unrelated digits that follow. */
const branch = String.raw`(?:\d{3}|${mark}0\d{2}(?!${separator}?\d))`;

const vatLabel = String.raw`v\.?a\.?t(?!\p{L})${vatQualifiers}`;

/** Finds the numbers of UK companies. */
export const ukDetails: readonly DetailPattern[] = [
  {
    kind: 'uk-company-number',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d])(?:${companyLabels})(?:\s{1,3}(?:is|of))?${gap}(?<number>${companyNumber})(?![\p{L}\d]|[.,\/-]\d)`,
      'giu',
    ),
    canonical(spelling) {
      const number = compact(spelling);
      const prefix = /^(?:[A-Z]{2}|R0)/.exec(number)?.[0] ?? '';
      const serial = number.slice(prefix.length).padStart(8 - prefix.length, '0');
      return /^0+$/.test(serial) ? undefined : prefix + serial;
    },
  },
  {
    kind: 'uk-vat-number',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d])${vatLabel}${gap}(?<number>(?:GB${separator}?)?${digits(9)}${branch}?)(?![\p{L}\d]|[.,]\d)`,
      'giu',
    ),
    canonical(spelling) {
      const number = compact(spelling).replace(/^GB/, '');
      return !number.startsWith('000000000') && validateVat(number).isValid ? `GB${number}` : undefined;
    },
  },
];
