import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';

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
const textKeys = new Set([
  ...['title', 'summary', 'description', 'externalDocs', 'contact', 'license', 'termsOfService'],
  ...['error_message', 'example', 'x-codeSamples'],
]);

/** A part of a document in a form that is compared key by key; undefined if it is absent. */
export type Comparable =
  | Readonly<{ [key: string]: Comparable }>
  | readonly unknown[]
  | string
  | number
  | boolean
  | null
  | undefined;

/** A node without texts, whose lists have keys where their items have names, and with error codes in place of examples. */
export function comparable(node: unknown, key = ''): Comparable {
  if (Array.isArray(node)) {
    const nameOf = namesOfItems[key];
    const items = node.map((item) => comparable(item));
    return nameOf
      ? Object.fromEntries(items.map((item, index) => [nameOf(object(node[index]), index, node[index]), item]))
      : items;
  }
  if (!isObject(node)) return node as Comparable;
  // Below these, keys are names of the contract, and one may be `description`.
  const isNamed = ['properties', 'schemas', 'headers', 'paths'].includes(key);
  const entries = Object.entries(node).filter(([name]) => isNamed || (!textKeys.has(name) && name !== 'examples'));
  const codes = isNamed ? [] : errorCodesOf(node['examples']);
  return {
    ...Object.fromEntries(entries.map(([name, value]) => [name, comparable(value, isNamed ? '' : name)])),
    ...(codes.length > 0 && { codes: Object.fromEntries(codes.map((code) => [code, true])) }),
  };
}

const namesOfItems: Readonly<Record<string, (item: Json, index: number, value: unknown) => string>> = {
  servers: ({ url }) => String(url),
  parameters: ({ in: place, name }) => `${String(place)} ${String(name)}`,
  'x-extensible-enum': (_item, _index, value) => String(value),
  allOf: (_item, index) => String(index),
};

/** The error codes of a response are those in its examples. */
function errorCodesOf(examples: unknown): string[] {
  const codes = Object.values(object(examples)).map((example) => object(object(example)['value'])['error_code']);
  return codes.filter((code) => typeof code === 'string');
}

export function sameButTexts(before: unknown, after: unknown): boolean {
  return isDeepStrictEqual(comparable(before), comparable(after));
}

export function isObject(node: unknown): node is Json {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

/** The node as an object; an absent one has no keys. */
export function object(node: unknown): Json {
  return typeof node === 'object' && node !== null ? (node as Json) : {};
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

export interface Comparison {
  readonly kind: Kind;
  readonly changes: readonly Change[];
}
