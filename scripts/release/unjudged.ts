import { breaking, type Change } from './change.ts';
import { type Json, keysOf, sameButTexts, textKeys } from './document.ts';

/** Reports every changed key as breaking that no rule judges, so that no change goes unnoticed. */
export function unjudged(before: Json, after: Json, judged: string[], where: string): Change[] {
  return keysOf(before, after)
    .filter((key) => !judged.includes(key) && !textKeys.has(key))
    .filter((key) => !sameButTexts({ [key]: before[key] }, { [key]: after[key] }))
    .map((key) => breaking(where, `${key} changed, and no rule in scripts/release/ judges it: write one`));
}
