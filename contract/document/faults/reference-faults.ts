import { isReference, targetOf } from '../references.ts';
import type { Fault, Place } from './fault.ts';

/** Every reference of a document, with the keys that lead to it. */
export function* referencesOf(node: unknown, place: Place = []): Iterable<{ place: Place; reference: string }> {
  if (typeof node !== 'object' || node === null) return;
  if (isReference(node)) yield { place: [...place, '$ref'], reference: node.$ref };
  for (const [key, value] of Object.entries(node))
    yield* referencesOf(value, [...place, Array.isArray(node) ? Number(key) : key]);
}

/** Circular references, which never lead to a value. */
export function* endlessReferences(bundled: object): Iterable<Fault> {
  for (const { place, reference } of referencesOf(bundled)) {
    const seen = new Set<string>();
    let next: string | undefined = reference;
    while (next !== undefined && !seen.has(next)) {
      seen.add(next);
      const target = targetOf(bundled, next);
      next = isReference(target) ? target.$ref : undefined;
    }
    if (next !== undefined && seen.has(pointerOf(place.slice(0, -1))))
      yield { place, message: `the reference ${reference} leads to itself; let it refer to what it is to stand for` };
  }
}

function pointerOf(place: Place): string {
  return `#/${place.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}
