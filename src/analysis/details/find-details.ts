import { validate as validateBusinessNumber } from 'stdnum/lib/cjs/ca/bn.js';
import { validate as validateGstHst } from 'stdnum/lib/cjs/ca/gst.js';
import { validate as at } from 'stdnum/lib/cjs/at/uid.js';
import { validate as be } from 'stdnum/lib/cjs/be/vat.js';
import { validate as bg } from 'stdnum/lib/cjs/bg/vat.js';
import { validate as ch } from 'stdnum/lib/cjs/ch/uid.js';
import { validate as cy } from 'stdnum/lib/cjs/cy/vat.js';
import { validate as cz } from 'stdnum/lib/cjs/cz/dic.js';
import { validate as de } from 'stdnum/lib/cjs/de/vat.js';
import { validate as dk } from 'stdnum/lib/cjs/dk/cvr.js';
import { validate as ee } from 'stdnum/lib/cjs/ee/kmkr.js';
import { validate as es } from 'stdnum/lib/cjs/es/nif.js';
import { validate as fi } from 'stdnum/lib/cjs/fi/alv.js';
import { validate as fr } from 'stdnum/lib/cjs/fr/tva.js';
import { validate as gb } from 'stdnum/lib/cjs/gb/vat.js';
import { validate as el } from 'stdnum/lib/cjs/gr/vat.js';
import { validate as hr } from 'stdnum/lib/cjs/hr/oib.js';
import { validate as hu } from 'stdnum/lib/cjs/hu/anum.js';
import { validate as ie } from 'stdnum/lib/cjs/ie/vat.js';
import { validate as it } from 'stdnum/lib/cjs/it/iva.js';
import { validate as lt } from 'stdnum/lib/cjs/lt/pvm.js';
import { validate as lu } from 'stdnum/lib/cjs/lu/tva.js';
import { validate as lv } from 'stdnum/lib/cjs/lv/pvn.js';
import { validate as mt } from 'stdnum/lib/cjs/mt/vat.js';
import { validate as nl } from 'stdnum/lib/cjs/nl/btw.js';
import { validate as no } from 'stdnum/lib/cjs/no/mva.js';
import { validate as pl } from 'stdnum/lib/cjs/pl/nip.js';
import { validate as pt } from 'stdnum/lib/cjs/pt/nif.js';
import { validate as ro } from 'stdnum/lib/cjs/ro/cui.js';
import { validate as se } from 'stdnum/lib/cjs/se/vat.js';
import { validate as si } from 'stdnum/lib/cjs/si/ddv.js';
import { validate as sk } from 'stdnum/lib/cjs/sk/dph.js';
import type { Detail, DetailKind } from '../../domain/analysis.ts';

/** How a kind of detail is found. A pattern has only bounded quantifiers: matching takes linear time on any text. */
interface DetailPattern {
  kind: DetailKind;
  /** Global; its group `number` is the detail as the document spells it. */
  pattern: RegExp;
  /** The canonical spelling; undefined if the number is invalid, usually because of its check digits. */
  canonical: (spelling: string) => string | undefined;
}

/** A pattern that begins with a word, from the raw text of a template. */
const detailPattern = (text: TemplateStringsArray, ...parts: string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\d])${String.raw(text, ...parts)}`, 'giu');

/** A separator between the digits of a number on one line: at most one of these. */
const mark = String.raw`[ \u00a0\u2007\u202f.\-\u2010\u2011\u2013]`;

/** The same, or a line break within the number. */
const separator = String.raw`(?:${mark}|\r?\n)`;

const digits = (least: number, most = least): string => String.raw`\d(?:${separator}?\d){${least - 1},${most - 1}}`;

/** What may separate a label from its number, or two words of a label: line breaks too, but no letter or digit. */
const gap = String.raw`[\s:;,.#()\/\u2013-]{0,8}`;

/** The word for a number in English and French, as in `number`, `No.`, `N°`, `numéro`. */
const numberWord = String.raw`(?:numbers?|num(?:[ée]ro)?|n[o°ºr]|#)(?!\p{L})`;

/** The words that may stand between the letters of the tax and its number. */
const vatQualifiers = String.raw`(?:${gap}(?:reg(?:istration|istered|d)?|id(?:ent(?:ification)?)?(?:[.-]?nr)?|code|nummer|is|gb(?!${separator}?\d)|uk|intracom(?:munautaire)?|${numberWord})(?!\p{L})){0,6}`;

const compact = (spelling: string): string => spelling.replace(/[^0-9a-z]/gi, '').toUpperCase();

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

/** The provincial registers number their corporations too. */
const elsewhere = String.raw`(?:provincial|ontario|qu[ée]bec|alberta|manitoba|saskatchewan|british\s{1,3}columbia|b\.?c\.?|nova\s{1,3}scotia|new\s{1,3}brunswick|newfoundland|labrador|prince\s{1,3}edward\s{1,3}island|yukon|nunavut|northwest\s{1,3}territories)\s{1,3}`;

const corporationLabels = [
  String.raw`corp(?:oration)?(?!\p{L})${gap}(?:registration${gap})?${numberWord}`,
  String.raw`${numberWord}${gap}de${gap}(?:la${gap})?(?:société|corporation)(?!\p{L})`,
].join('|');

/** With or without a hyphen before the check digit. The register omits leading zeros. */
const corporationNumber = String.raw`\d{2,7}[-\u2010\u2011\u2013]\d|\d{3} \d{3}[-\u2010\u2011\u2013]\d|\d{3,8}`;

const businessNumber = digits(9);

const account = String.raw`${separator}?RT${separator}?\d{4}`;

/** A business number without an account has a check digit, but so has a social insurance number. */
const businessLabels = [
  String.raw`(?:business|entreprise)${gap}${numberWord}`,
  String.raw`${numberWord}${gap}d\s?['’]\s?entreprise`,
  String.raw`b\.?n(?!\p{L})`,
  String.raw`(?:gst|hst|tps|tvh)(?!\p{L})(?:${gap}(?:gst|hst|tps|tvh)(?!\p{L}))?`,
].join('|');

const labelled = String.raw`(?:${businessLabels})(?:${gap}(?:reg(?:istration|istered)?|account|id|is|bn|${numberWord})(?!\p{L})){0,5}${gap}`;

type Validate = (number: string) => { isValid: boolean };

/** The form of each country's numbers after the prefix, and their check. */
const countries: Record<string, readonly [form: string, validate: Validate]> = {
  AT: [`U${separator}?${digits(8)}`, at],
  BE: [digits(10), be],
  BG: [digits(9, 10), bg],
  CHE: [digits(9), (number) => ch(`CHE${number}`)],
  CY: [`${digits(8)}${separator}?[A-Z]`, cy],
  CZ: [digits(8, 10), cz],
  DE: [digits(9), de],
  DK: [digits(8), dk],
  EE: [digits(9), ee],
  EL: [digits(9), el],
  ES: [String.raw`[A-Z0-9]${separator}?${digits(7)}${separator}?[A-Z0-9]`, es],
  FI: [digits(8), fi],
  FR: [`[A-Z0-9]{2}${separator}?${digits(9)}`, fr],
  HR: [digits(11), hr],
  HU: [digits(8), hu],
  IE: [String.raw`\d[A-Z0-9]${separator}?${digits(5)}${separator}?[A-W][A-I]?`, ie],
  IT: [digits(11), it],
  LT: [`(?:${digits(12)}|${digits(9)})`, lt],
  LU: [digits(8), lu],
  LV: [digits(11), lv],
  MT: [digits(8), mt],
  NL: [`${digits(9)}${separator}?B${separator}?${digits(2)}`, nl],
  // After a label, `no` is the word for a number, unless the letters of the tax follow.
  NO: [`${digits(9)}${separator}?MVA`, no],
  PL: [digits(10), pl],
  PT: [digits(9), pt],
  RO: [digits(6, 10), ro],
  SE: [digits(12), se],
  SI: [digits(8), si],
  SK: [digits(10), sk],
  XI: [digits(9), gb],
};

const taxLabels = [
  String.raw`v\.?a\.?t|t\.?v\.?a|u\.?st|b\.?t\.?w|i\.?v\.?a|moms(?:nr|nummer)?`,
  'uid|mwst|mva|alv|dph|di[čc]|oib|ddv|pvn|pvm|áfa|ptu|nip|nif|cif|kmkr|αφμ|ддс',
].join('|');

/** Swiss and Norwegian numbers are often without a label, because the letters of the tax follow. */
const taxFollows = String.raw`(?=(?:CHE|NO)[^\p{L}]{9,14}(?:MWST|TVA|IVA|MVA)(?!\p{L}))`;

const numbers = Object.entries(countries).map(([prefix, [form]]) => `${prefix}${separator}?${form}`);

/** A number with valid check digits, behind the prefix that it may lack. */
const checked =
  (validate: Validate, prefix = '') =>
  (spelling: string) => {
    const spelled = compact(spelling);
    const number = spelled.startsWith(prefix) ? spelled.slice(prefix.length) : spelled;
    return !number.startsWith('000000000') && validate(number).isValid ? prefix + number : undefined;
  };

const patterns: readonly DetailPattern[] = [
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
    canonical: checked(gb, 'GB'),
  },
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
  // Of countries whose registers this program does not know: found, so that the evidence says so. The text must say VAT in one
  // of the languages, and the number must have the country's prefix, form and check digits.
  {
    kind: 'unsupported-vat-number',
    pattern: detailPattern`(?:(?:${taxLabels})(?!\p{L})${vatQualifiers}${gap}|${taxFollows})(?<number>${numbers.join('|')})(?![\p{L}\d]|[.,]\d|[ -]\d)`,
    canonical(spelling) {
      const number = compact(spelling);
      const [, prefix = '', rest = ''] = /^(CHE|[A-Z]{2})(.*)$/.exec(number) ?? [];
      return countries[prefix]?.[1](rest).isValid === true ? number : undefined;
    },
  },
];

/** The maximum number of details of a document; any further ones are not checked. */
export const maxDetails = 100;

/** Finds the first hundred identifiers in the text of pages, without duplicates, in time proportional to its length. */
export function findDetails(pages: readonly string[]): Detail[] {
  const found = new Map<string, Detail>();
  for (const [index, text] of pages.entries()) {
    const inPage = patterns.flatMap((pattern) => findKind(text, pattern));
    for (const { kind, value, spelling } of inPage.sort((one, other) => one.at - other.at)) {
      const key = `${kind} ${value}`;
      if (!found.has(key)) found.set(key, { kind, value, found_as: spelling.replace(/\r?\n/g, ' '), page: index + 1 });
      if (found.size === maxDetails) return [...found.values()];
    }
  }
  return [...found.values()];
}

function findKind(text: string, { kind, pattern, canonical }: DetailPattern) {
  const found = new Map<string, { kind: Detail['kind']; value: string; spelling: string; at: number }>();
  for (const match of text.matchAll(pattern)) {
    const spelling = match.groups?.['number'] ?? '';
    const value = canonical(spelling);
    if (value === undefined || found.has(value)) continue;
    found.set(value, { kind, value, spelling, at: match.index + match[0].length });
    if (found.size === maxDetails) break;
  }
  return [...found.values()];
}
