import type { DetailKind } from '../../domain/analysis.ts';

/**
 * How a kind of detail is found. Every quantifier of a pattern is bounded, so that no text takes more than linear time.
 */
export interface DetailPattern {
  kind: DetailKind;
  /** Global; its group `number` is the detail as the document spells it. */
  pattern: RegExp;
  /** The canonical spelling; undefined if it is no such number, above all by its check digits. */
  canonical: (spelling: string) => string | undefined;
}

/** What stands between the digits of one number on a line: at most one of these. */
export const mark = String.raw`[ \u00a0\u2007\u202f.\-\u2010\u2011\u2013]`;

/** The same, or the end of a line that has no room for the whole number. */
export const separator = String.raw`(?:${mark}|\r?\n)`;

/** Exactly so many digits, with separators or without. */
export const digits = (count: number): string => String.raw`\d(?:${separator}?\d){${count - 1}}`;

/** What stands between a label and its number, or two words of a label: a line break too, but no letter or digit. */
export const gap = String.raw`[\s:;,.#()\/\u2013-]{0,8}`;

/** The word for a number in English and French, as in `number`, `No.`, `N°`, `numéro`. */
export const numberWord = String.raw`(?:numbers?|num(?:[ée]ro)?|n[o°ºr]|#)(?!\p{L})`;

/** A spelling without its separators, in capital letters. */
export const compact = (spelling: string): string => spelling.replace(/[^0-9a-z]/gi, '').toUpperCase();
