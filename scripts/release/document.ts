import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { mapValues } from '../generate/map-values.ts';

/** A JSON object of unknown content. */
export type Json = Record<string, unknown>;

/** Reads a YAML document and resolves its references. */
export async function readDocument(file: string): Promise<Json> {
  return parseDocument(await readFile(file, 'utf8'));
}

/** Parses a document without resolving references, for callers that need their names. */
export function parseDocument(text: string): Json {
  return parse(text, { merge: true }) as Json;
}

/** Keys of texts for people, which no program acts on. */
export const textKeys = new Set([
  ...['title', 'summary', 'description', 'externalDocs', 'contact', 'license', 'termsOfService'],
  ...['example', 'examples', 'x-codeSamples'],
]);

/** The document without its texts. */
function withoutTexts(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutTexts);
  if (typeof node !== 'object' || node === null) return node;
  // Below these, keys are names of the contract, and one may be `description`.
  const named = (key: string) => ['properties', 'schemas', 'headers', 'paths'].includes(key);
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => !textKeys.has(key))
      .map(([key, value]) => [key, named(key) ? mapValues(object(value), withoutTexts) : withoutTexts(value)]),
  );
}

/** Whether two parts of a document differ only in their texts. */
export function sameButTexts(before: unknown, after: unknown): boolean {
  return isDeepStrictEqual(withoutTexts(before), withoutTexts(after));
}

/** The node as an object; an absent one has no keys. */
export function object(node: unknown): Json {
  return typeof node === 'object' && node !== null ? (node as Json) : {};
}

/** The keys of either object. */
export function keysOf(before: Json, after: Json): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

/** A difference between two versions of the contract. */
export interface Change {
  /** Breaking: a client that follows the earlier contract, or was generated from it, may fail. */
  readonly severity: 'breaking' | 'compatible';
  /** The operation, such as `PUT /cases/{id}`, or the part of the document outside of operations. */
  readonly where: string;
  readonly text: string;
}

/** The kind of difference between two versions of the contract, which determines the version number. */
export type Kind = 'breaking' | 'compatible' | 'text' | 'none';

/** The changes, and their kind as a whole. */
export interface Comparison {
  readonly kind: Kind;
  readonly changes: readonly Change[];
}

export const breaking = (where: string, text: string): Change => ({ severity: 'breaking', where, text });

export const compatible = (where: string, text: string): Change => ({ severity: 'compatible', where, text });

/** Judges two objects key by key. What has no rule is judged elsewhere. */
export function byKey(
  before: Json,
  after: Json,
  rules: {
    readonly added?: (key: string) => Change | Change[];
    readonly removed?: (key: string) => Change | Change[];
    readonly both: (key: string, old: Json, current: Json) => Change[];
  },
): Change[] {
  return keysOf(before, after).flatMap((key) => {
    if (!(key in before)) return rules.added?.(key) ?? [];
    if (!(key in after)) return rules.removed?.(key) ?? [];
    return rules.both(key, object(before[key]), object(after[key]));
  });
}

/** Judges two lists of values: to lose one breaks clients, to get one does not. */
export function byValue(
  where: string,
  [old, current]: readonly [before: readonly unknown[], after: readonly unknown[]],
  textOf: (verb: 'lost' | 'got', value: unknown) => string,
): Change[] {
  return [
    ...old.filter((value) => !current.includes(value)).map((value) => breaking(where, textOf('lost', value))),
    ...current.filter((value) => !old.includes(value)).map((value) => compatible(where, textOf('got', value))),
  ];
}
