import { isDeepStrictEqual } from 'node:util';

type Tree = Readonly<Record<string, unknown>>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * All that two documents hold.
 * @throws {Error} where they differ in more than what only one of them holds
 */
export function union(one: unknown, other: unknown, place = '#'): unknown {
  if (isTree(one) && isTree(other)) {
    const merged: Record<string, unknown> = { ...one };
    for (const [key, value] of Object.entries(other))
      merged[key] = key in one ? union(one[key], value, `${place}/${key}`) : value;
    return merged;
  }
  if (!isDeepStrictEqual(one, other)) throw new Error(`The documents do not agree on ${place}.`);
  return one;
}
