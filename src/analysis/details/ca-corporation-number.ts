import { compact, type DetailPattern, gap, numberWord } from './detail-pattern.ts';

/** The provincial registers number their corporations too. */
const elsewhere = String.raw`(?:provincial|ontario|qu[ée]bec|alberta|manitoba|saskatchewan|british\s{1,3}columbia|b\.?c\.?|nova\s{1,3}scotia|new\s{1,3}brunswick|newfoundland|labrador|prince\s{1,3}edward\s{1,3}island|yukon|nunavut|northwest\s{1,3}territories)\s{1,3}`;

const labels = [
  String.raw`corp(?:oration)?(?!\p{L})${gap}(?:registration${gap})?${numberWord}`,
  String.raw`${numberWord}${gap}de${gap}(?:la${gap})?(?:société|corporation)(?!\p{L})`,
].join('|');

/** With or without a hyphen before the check digit. The register omits leading zeros. */
const corporationNumber = String.raw`\d{2,7}[-\u2010\u2011\u2013]\d|\d{3} \d{3}[-\u2010\u2011\u2013]\d|\d{3,8}`;

/** Finds numbers of Canadian federal corporations: those that the text labels as such, without naming a province. */
export const caCorporationNumber: DetailPattern = {
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
