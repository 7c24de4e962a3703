import { isReference, keysOfPointer, targetOf } from '../references.ts';
import type { Fault, Place } from './fault.ts';

/** Every reference of a document, with the keys that lead to it. */
export function referencesOf(root: unknown): { place: Place; reference: string }[] {
  const found: { place: Place; reference: string }[] = [];
  const path: (string | number)[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (isReference(node)) found.push({ place: [...path, '$ref'], reference: node.$ref });
    for (const [key, value] of Object.entries(node)) {
      path.push(Array.isArray(node) ? Number(key) : key);
      visit(value);
      path.pop();
    }
  };
  visit(root);
  return found;
}

/** Local references to nothing. */
export function* brokenReferences(document: object): Iterable<Fault> {
  for (const { place, reference } of referencesOf(document)) {
    if (targetOf(document, reference) !== undefined) continue;
    const keys = keysOfPointer(reference);
    const known = keys.findIndex(
      (_key, index) => targetOf(document, pointerOf(keys.slice(0, index + 1))) === undefined,
    );
    yield brokenReference(place, reference, keys[known] ?? reference.slice(1));
  }
}

export function brokenReference(place: Place, reference: string, missing: string): Fault {
  return { place, message: `${reference} leads nowhere: there is no ${missing}; let $ref name what is there` };
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
