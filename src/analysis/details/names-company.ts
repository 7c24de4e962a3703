/** A text prepared for finding names: words in lower case, with one space around each. */
export type ComparableText = string;

const legalForms: readonly [RegExp, string][] = [
  [/ public limited company(?= )/g, ' plc'],
  [/ limited liability partnership(?= )/g, ' llp'],
  [/ limited partnership(?= )/g, ' lp'],
  [/ limited(?= )/g, ' ltd'],
  [/ (?:cyfyngedig|cyf)(?= )/g, ' ltd'],
  [/ limitee(?= )/g, ' ltee'],
  [/ (?:incorporated|incorporee)(?= )/g, ' inc'],
  [/ corporation(?= )/g, ' corp'],
  [/ company(?= )/g, ' co'],
];

/** Makes a document's text comparable, once for all names to find in it. */
export function comparableText(pages: readonly string[]): ComparableText {
  const words = pages
    .join(' ')
    .normalize('NFKD')
    .replace(/[\p{M}.'’`]/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ');
  return legalForms.reduce((text, [form, short]) => text.replace(form, short), ` ${words} `).replace(/ {2,}/g, ' ');
}

/**
 * Whether a document names a company as the registry does: all words, in order, and whole. Letter case, accents,
 * punctuation, line breaks, `&` and the spelling of the legal form are ignored.
 */
export function namesCompany(text: ComparableText, registeredName: string): boolean {
  const name = comparableText([registeredName]);
  return name.trim() !== '' && text.includes(name);
}
