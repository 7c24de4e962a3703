import type { DetailKind } from '../../domain/analysis.ts';

/**
 * How a kind of detail is found. Every quantifier of a pattern is bounded, so matching takes linear time on any text.
 */
export interface DetailPattern {
  kind: DetailKind;
  /** Global; its group `number` is the detail as the document spells it. */
  pattern: RegExp;
  /** The canonical spelling; undefined if the number is invalid, usually because of its check digits. */
  canonical: (spelling: string) => string | undefined;
}

/** A pattern that begins with a word, from the raw text of a template. */
export const detailPattern = (text: TemplateStringsArray, ...parts: string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\d])${String.raw(text, ...parts)}`, 'giu');

/** A separator between the digits of a number on one line: at most one of these. */
export const mark = String.raw`[ \u00a0\u2007\u202f.\-\u2010\u2011\u2013]`;

/** The same, or a line break within the number. */
export const separator = String.raw`(?:${mark}|\r?\n)`;

/** This many digits, with or without separators. */
export const digits = (least: number, most = least): string =>
  String.raw`\d(?:${separator}?\d){${least - 1},${most - 1}}`;

/** What may separate a label from its number, or two words of a label: line breaks too, but no letter or digit. */
export const gap = String.raw`[\s:;,.#()\/\u2013-]{0,8}`;

/** The word for a number in English and French, as in `number`, `No.`, `N°`, `numéro`. */
export const numberWord = String.raw`(?:numbers?|num(?:[ée]ro)?|n[o°ºr]|#)(?!\p{L})`;

/** The words that may stand between the letters of the tax and its number. */
export const vatQualifiers = String.raw`(?:${gap}(?:reg(?:istration|istered|d)?|id(?:ent(?:ification)?)?(?:[.-]?nr)?|code|nummer|is|gb(?!${separator}?\d)|uk|intracom(?:munautaire)?|${numberWord})(?!\p{L})){0,6}`;

/** A spelling without its separators, in capital letters. */
export const compact = (spelling: string): string => spelling.replace(/[^0-9a-z]/gi, '').toUpperCase();
