import type { Detail } from '../../domain/analysis.ts';
import { caDetails } from './ca-details.ts';
import type { DetailPattern } from './detail-pattern.ts';
import { otherVatNumbers } from './other-vat-numbers.ts';
import { ukDetails } from './uk-details.ts';

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
