import { validate as validateBusinessNumber } from 'stdnum/lib/cjs/ca/bn.js';
import { validate as validateGstHst } from 'stdnum/lib/cjs/ca/gst.js';
import { caCorporationNumber } from './ca-corporation-number.ts';
import { compact, type DetailPattern, digits, gap, mark, numberWord, separator } from './detail-pattern.ts';

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
