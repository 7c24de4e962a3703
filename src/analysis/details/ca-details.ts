import { validate as validateBusinessNumber } from 'stdnum/lib/cjs/ca/bn.js';
import { validate as validateGstHst } from 'stdnum/lib/cjs/ca/gst.js';
import { compact, type DetailPattern, digits, gap, mark, numberWord, separator } from './detail-pattern.ts';

/** The provincial registers number their corporations too. */
const elsewhere = String.raw`(?:provincial|ontario|qu[ée]bec|alberta|manitoba|saskatchewan|british\s{1,3}columbia|b\.?c\.?|nova\s{1,3}scotia|new\s{1,3}brunswick|newfoundland|labrador|prince\s{1,3}edward\s{1,3}island|yukon|nunavut|northwest\s{1,3}territories)\s{1,3}`;

const labels = [
  String.raw`corp(?:oration)?(?!\p{L})${gap}(?:registration${gap})?${numberWord}`,
  String.raw`${numberWord}${gap}de${gap}(?:la${gap})?(?:société|corporation)(?!\p{L})`,
].join('|');

/** With or without a hyphen before the check digit. The register omits leading zeros. */
const corporationNumber = String.raw`\d{2,7}[-\u2010\u2011\u2013]\d|\d{3} \d{3}[-\u2010\u2011\u2013]\d|\d{3,8}`;

/** Finds numbers of Canadian federal corporations: those that the text labels as such, without naming a province. */
const caCorporationNumber: DetailPattern = {
  kind: 'ca-corporation-number',
  pattern: new RegExp(
    String.raw`(?<![\p{L}\d])(?<!${elsewhere})(?:${labels})(?:\s{1,3}is)?${gap}(?<number>${corporationNumber})(?![\p{L}\d]|[.,\/-]\d)`,
    'giu',
  ),
  canonical(spelling) {
    const number = compact(spelling).replace(/^0+/, '');
    return number.length < 3 ? undefined : number;
  },
};

const businessNumber = digits(9);

/** A program account: the business number, the program, and the number of the account. */
const account = (program: string): string => String.raw`${separator}?${program}${separator}?\d{4}`;

/** A business number without an account has a check digit, but so has a social insurance number. */
const businessLabels = [
  String.raw`(?:business|entreprise)${gap}${numberWord}`,
  String.raw`${numberWord}${gap}d\s?['’]\s?entreprise`,
  String.raw`b\.?n(?!\p{L})`,
  String.raw`(?:gst|hst|tps|tvh)(?!\p{L})(?:${gap}(?:gst|hst|tps|tvh)(?!\p{L}))?`,
].join('|');

const labelled = String.raw`(?:${businessLabels})(?:${gap}(?:reg(?:istration|istered)?|account|id|is|bn|${numberWord})(?!\p{L})){0,5}${gap}`;

const zeros = /^0{9}/;

/** Finds the numbers of Canadian businesses. */
export const caDetails: readonly DetailPattern[] = [
  caCorporationNumber,
  {
    kind: 'ca-business-number',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d])${labelled}(?<number>${businessNumber})(?!${account('RT')})(?![\p{L}\d]|[.,\/-]\d)`,
      'giu',
    ),
    canonical(spelling) {
      const number = compact(spelling);
      return !zeros.test(number) && validateBusinessNumber(number).isValid ? number : undefined;
    },
  },
  {
    kind: 'ca-gst-hst-account',
    // The program's letters identify the number, so no label is needed.
    pattern: new RegExp(
      String.raw`(?<![\p{L}\d]|\d${mark})(?<number>${businessNumber}${account('RT')})(?![\p{L}\d])`,
      'giu',
    ),
    canonical(spelling) {
      const number = compact(spelling);
      return !zeros.test(number) && validateGstHst(number).isValid ? number : undefined;
    },
  },
];
