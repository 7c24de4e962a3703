import { validate as validateBusinessNumber } from 'stdnum/lib/cjs/ca/bn.js';
import { validate as validateGstHst } from 'stdnum/lib/cjs/ca/gst.js';
import { validate as validateVat } from 'stdnum/lib/cjs/gb/vat.js';
import type { Detail } from '../../domain/analysis.ts';
import {
  compact,
  type DetailPattern,
  detailPattern,
  digits,
  gap,
  mark,
  numberWord,
  separator,
  vatQualifiers,
} from './detail-pattern.ts';
import { otherVatNumbers } from './other-vat-numbers.ts';

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

const ukDetails: readonly DetailPattern[] = [
  {
    kind: 'uk-company-number',
    pattern: detailPattern`(?:${companyLabels})(?:\s{1,3}(?:is|of))?${gap}(?<number>${companyNumber})(?![\p{L}\d]|[.,\/-]\d)`,
    canonical(spelling) {
      const number = compact(spelling);
      const prefix = /^(?:[A-Z]{2}|R0)/.exec(number)?.[0] ?? '';
      const serial = number.slice(prefix.length).padStart(8 - prefix.length, '0');
      return /^0+$/.test(serial) ? undefined : prefix + serial;
    },
  },
  {
    kind: 'uk-vat-number',
    pattern: detailPattern`${vatLabel}${gap}(?<number>(?:GB${separator}?)?${digits(9)}${branch}?)(?![\p{L}\d]|[.,]\d)`,
    canonical(spelling) {
      const number = compact(spelling).replace(/^GB/, '');
      return !number.startsWith('000000000') && validateVat(number).isValid ? `GB${number}` : undefined;
    },
  },
];

/** The provincial registers number their corporations too. */
const elsewhere = String.raw`(?:provincial|ontario|qu[ée]bec|alberta|manitoba|saskatchewan|british\s{1,3}columbia|b\.?c\.?|nova\s{1,3}scotia|new\s{1,3}brunswick|newfoundland|labrador|prince\s{1,3}edward\s{1,3}island|yukon|nunavut|northwest\s{1,3}territories)\s{1,3}`;

const corporationLabels = [
  String.raw`corp(?:oration)?(?!\p{L})${gap}(?:registration${gap})?${numberWord}`,
  String.raw`${numberWord}${gap}de${gap}(?:la${gap})?(?:société|corporation)(?!\p{L})`,
].join('|');

/** With or without a hyphen before the check digit. The register omits leading zeros. */
const corporationNumber = String.raw`\d{2,7}[-\u2010\u2011\u2013]\d|\d{3} \d{3}[-\u2010\u2011\u2013]\d|\d{3,8}`;

const businessNumber = digits(9);

/** What follows the business number in a GST/HST account: the program, and the number of the account. */
const account = String.raw`${separator}?RT${separator}?\d{4}`;

/** A business number without an account has a check digit, but so has a social insurance number. */
const businessLabels = [
  String.raw`(?:business|entreprise)${gap}${numberWord}`,
  String.raw`${numberWord}${gap}d\s?['’]\s?entreprise`,
  String.raw`b\.?n(?!\p{L})`,
  String.raw`(?:gst|hst|tps|tvh)(?!\p{L})(?:${gap}(?:gst|hst|tps|tvh)(?!\p{L}))?`,
].join('|');

const labelled = String.raw`(?:${businessLabels})(?:${gap}(?:reg(?:istration|istered)?|account|id|is|bn|${numberWord})(?!\p{L})){0,5}${gap}`;

/** The canonical spelling of a number with these check digits. */
const checked = (validate: (number: string) => { isValid: boolean }) => (spelling: string) => {
  const number = compact(spelling);
  return !number.startsWith('000000000') && validate(number).isValid ? number : undefined;
};

const caDetails: readonly DetailPattern[] = [
  // Of federal corporations: those that the text labels as such, without naming a province.
  {
    kind: 'ca-corporation-number',
    pattern: detailPattern`(?<!${elsewhere})(?:${corporationLabels})(?:\s{1,3}is)?${gap}(?<number>${corporationNumber})(?![\p{L}\d]|[.,\/-]\d)`,
    canonical(spelling) {
      const number = compact(spelling).replace(/^0+/, '');
      return number.length < 3 ? undefined : number;
    },
  },
  {
    kind: 'ca-business-number',
    pattern: detailPattern`${labelled}(?<number>${businessNumber})(?!${account})(?![\p{L}\d]|[.,\/-]\d)`,
    canonical: checked(validateBusinessNumber),
  },
  {
    kind: 'ca-gst-hst-account',
    // The program's letters identify the number, so no label is needed.
    pattern: detailPattern`(?<!\d${mark})(?<number>${businessNumber}${account})(?![\p{L}\d])`,
    canonical: checked(validateGstHst),
  },
];

/** The maximum number of details of a document; any further ones are not checked. */
export const mostDetails = 100;

const patterns = [...ukDetails, ...caDetails, otherVatNumbers];

/**
 * Finds the first hundred company identifiers that a text contains, in order and without duplicates. Takes time in
 * proportion to the length of the text.
 * @param pages the text of each page
 */
export function findDetails(pages: readonly string[]): Detail[] {
  const found = new Map<string, Detail>();
  for (const [index, text] of pages.entries()) {
    const inPage = patterns.flatMap((pattern) => findKind(text, pattern));
    for (const { kind, value, spelling } of inPage.sort((one, other) => one.at - other.at)) {
      const key = `${kind} ${value}`;
      if (!found.has(key)) found.set(key, { kind, value, found_as: spelling.replace(/\r?\n/g, ' '), page: index + 1 });
      if (found.size === mostDetails) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** Finds the first details of one kind in a page, without duplicates. */
function findKind(text: string, { kind, pattern, canonical }: DetailPattern) {
  const found = new Map<string, { kind: Detail['kind']; value: string; spelling: string; at: number }>();
  for (const match of text.matchAll(pattern)) {
    const spelling = match.groups?.['number'] ?? '';
    const value = canonical(spelling);
    if (value === undefined || found.has(value)) continue;
    found.set(value, { kind, value, spelling, at: match.index + match[0].length });
    if (found.size === mostDetails) break;
  }
  return [...found.values()];
}
