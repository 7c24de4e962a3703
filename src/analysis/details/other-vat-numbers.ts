/**
 * VAT numbers of other countries. No registry is asked about them, but they are found, so that the evidence says so. The
 * text must say VAT in one of the languages, and the number must have the country's prefix, form and check digits.
 */
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
import { compact, type DetailPattern, detailPattern, digits, gap, separator, vatQualifiers } from './detail-pattern.ts';

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

const labels = [
  String.raw`v\.?a\.?t`,
  String.raw`t\.?v\.?a`,
  String.raw`u\.?st`,
  'uid',
  'mwst',
  String.raw`b\.?t\.?w`,
  String.raw`i\.?v\.?a`,
  'moms(?:nr|nummer)?',
  'mva',
  'alv',
  'dph',
  'di[čc]',
  'oib',
  'ddv',
  'pvn',
  'pvm',
  'áfa',
  'ptu',
  'nip',
  'nif',
  'cif',
  'kmkr',
  'αφμ',
  'ддс',
].join('|');

/** Swiss and Norwegian numbers are often without a label, because the letters of the tax follow. */
const taxFollows = String.raw`(?=(?:CHE|NO)[^\p{L}]{9,14}(?:MWST|TVA|IVA|MVA)(?!\p{L}))`;

const numbers = Object.entries(countries).map(([prefix, [form]]) => `${prefix}${separator}?${form}`);

/** Finds VAT numbers of countries whose registers this program does not know. */
export const otherVatNumbers: DetailPattern = {
  kind: 'unsupported-vat-number',
  pattern: detailPattern`(?:(?:${labels})(?!\p{L})${vatQualifiers}${gap}|${taxFollows})(?<number>${numbers.join('|')})(?![\p{L}\d]|[.,]\d|[ -]\d)`,
  canonical(spelling) {
    const number = compact(spelling);
    const [, prefix = '', rest = ''] = /^(CHE|[A-Z]{2})(.*)$/.exec(number) ?? [];
    return countries[prefix]?.[1](rest).isValid === true ? number : undefined;
  },
};
