/**
 * The nodes and references of a document. A file is brought to plain form as it is read, json-schema-ref-parser makes
 * references to other files local, and {@link dereference} resolves those.
 */
import { unescape } from 'node:querystring';
import { fault, type Fault, type Place } from './faults.ts';

type Node = Record<string, unknown>;

/** Whether a node of a document is a reference. */
export function isReference(node: unknown): node is { $ref: string } {
  return typeof node === 'object' && node !== null && '$ref' in node && typeof node.$ref === 'string';
}

/** Whether a reference is a JSON pointer of its own file. */
export function isLocal(reference: string): boolean {
  return /^#(\/|$)/.test(reference);
}

/** The keys of a JSON pointer, such as `#/paths/~1cases/get`. A `%` that begins no escape stands for itself. */
export function keysOfPointer(pointer: string): string[] {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => unescape(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function pointerOf(place: Place): string {
  return ['#', ...place].map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
}

function define(node: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });
  else (node as Node)[key] = value;
}

/** More references one after the other lead to themselves. */
const mostHops = 100;

/** The target of a local reference, also through other references; undefined if the reference is broken. */
function targetOf(root: object, reference: string, hops = 0): unknown {
  const child = (node: unknown, key: string): unknown => {
    const isElsewhere = isReference(node) && !Object.hasOwn(node, key);
    const parent = isElsewhere ? targetOf(root, node.$ref, hops + 1) : node;
    return (parent as Node | null | undefined)?.[key];
  };
  return isLocal(reference) && hops < mostHops ? keysOfPointer(reference).reduce<unknown>(child, root) : undefined;
}

/**
 * Copies a bundled document with all references resolved. Each object is copied once, so that equal references share a
 * copy and a schema can contain itself. Keys next to `$ref` (OpenAPI 3.1) override those of the target. A broken
 * reference becomes undefined.
 */
export function dereference<Bundled extends object>(root: Bundled): Bundled {
  const copies = new Map<object, unknown>();
  const copy = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    if (copies.has(node)) return copies.get(node);
    if (isReference(node)) {
      copies.set(node, undefined);
      const { $ref, ...beside } = node;
      const target = copy(targetOf(root, $ref));
      const isAlone = Object.keys(beside).length === 0;
      copies.set(node, isAlone ? target : { ...(target as object), ...(copy(beside) as object) });
      return copies.get(node);
    }
    const result: Node | unknown[] = Array.isArray(node) ? [] : {};
    copies.set(node, result);
    for (const key of Object.keys(node)) define(result, key, copy((node as Node)[key]));
    return result;
  };
  return copy(root) as Bundled;
}

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
    const isUnknown = (_: string, index: number) =>
      targetOf(document, pointerOf(keys.slice(0, index + 1))) === undefined;
    yield brokenReference(place, reference, keys.find(isUnknown) ?? reference.slice(1));
  }
}

/** A reference in which the key `missing` does not exist. */
export function brokenReference(place: Place, reference: string, missing: string): Fault {
  return fault(place, `${reference} leads nowhere: there is no ${missing}; let $ref name what is there`);
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
      yield fault(place, `the reference ${reference} leads to itself; let it refer to what it is to stand for`);
  }
}

/** Objects with names of the author's choice as keys, not keywords. */
const maps =
  /^(paths|responses|headers|content|examples|encoding|callbacks|links|security|securitySchemes|schemas|parameters|requestBodies|pathItems|properties|patternProperties|dependentSchemas|\$defs|definitions|x-service-responses)$/;

/** Keywords whose values are data of the API; of a list, the items. */
const data = /^(example|default|const|value)$/;
const dataLists = /^(enum|examples)$/;

/** The extensions that contain references. */
const knownExtensions = /^x-(service-responses|error-codes)$/;

/**
 * The content of a file in the form that the model is made from. Documents of others have `null` where nothing was written,
 * `$ref` with another meaning in their extensions, and, in OpenAPI 3.1, references that JSON Schema resolves by `$id`,
 * `$anchor` and `$dynamicAnchor`.
 * @param text the file, as it is written
 */
export function inPlainForm(content: unknown, text: string): unknown {
  const plain = withoutNulls(content);
  if (/\$(id|anchor|dynamic|recursive)/i.test(text)) localiseReferences(plain);
  return plain;
}

/**
 * Copies a node. A keyword without a value is omitted, and a name without one, as in `'200':`, has an empty object. In
 * foreign extensions, `$ref` can mean anything, such as a page of a guide, and is omitted.
 */
function withoutNulls(node: unknown, isMap = false, isForeign = false): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => withoutNulls(item, isMap, isForeign));
  const plain = {};
  for (const key of Object.keys(node)) {
    const value = (node as Node)[key];
    const isExtension = key.startsWith('x-');
    if (isForeign) {
      if (key !== '$ref') define(plain, key, withoutNulls(value, false, true));
    } else if (isMap) define(plain, key, withoutNulls(value ?? {}));
    else if (data.test(key) || (Array.isArray(value) && dataLists.test(key))) define(plain, key, value);
    else if (value !== null || isExtension) {
      const hasNames = maps.test(key) && (!Array.isArray(value) || key === 'security');
      define(plain, key, withoutNulls(value, hasNames, isExtension && !knownExtensions.test(key)));
    }
  }
  return plain;
}

/** A schema with an `$id`, or the file: its other references are relative to it. */
interface Resource {
  readonly base: string;
  readonly pointer: string;
}

/** Any absolute URI that no document has. */
const file: Resource = { base: 'file-of-document:/', pointer: '#' };

/** Turns references to `$id`, `$anchor` and `$dynamicAnchor` of the same file into JSON pointers, in place. */
function localiseReferences(root: unknown): void {
  const resources = new Map([[file.base, file]]);
  const anchors = new Map<string, string>();
  const dynamic = new Map<string, string[]>();
  const references: { node: Node; resource: Resource }[] = [];
  const visit = (node: unknown, pointer: string, outer: Resource): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $id, $anchor, $dynamicAnchor, $ref, $dynamicRef, $recursiveRef } = node as Node;
    const base = typeof $id === 'string' ? URL.parse($id, outer.base)?.href.replace(/#$/, '') : undefined;
    const resource = base === undefined ? outer : { base, pointer };
    resources.set(resource.base, resources.get(resource.base) ?? resource);
    for (const name of [$anchor, $dynamicAnchor])
      if (typeof name === 'string') anchors.set(`${resource.base}#${name}`, pointer);
    if (typeof $dynamicAnchor === 'string')
      dynamic.set($dynamicAnchor, [...(dynamic.get($dynamicAnchor) ?? []), pointer]);
    if ([$ref, $dynamicRef, $recursiveRef].some((each) => typeof each === 'string'))
      references.push({ node: node as Node, resource });
    for (const [key, child] of Object.entries(node))
      visit(child, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`, resource);
  };
  const pointerTo = (reference: string, { base }: Resource): string | undefined => {
    const [path = '', fragment = ''] = reference.split(/#(.*)/s);
    const target = resources.get(path === '' ? base : (URL.parse(path, base)?.href ?? ''));
    if (fragment === '' || fragment.startsWith('/')) return target && target.pointer + fragment;
    return target && anchors.get(`${target.base}#${fragment}`);
  };
  visit(root, file.pointer, file);
  const isDescription = typeof root === 'object' && root !== null && 'openapi' in root;
  for (const { node, resource } of references) {
    const { $ref, $recursiveRef, $dynamicRef } = node;
    delete node['$dynamicRef'];
    delete node['$recursiveRef'];
    // Which of several anchors of one name is meant depends on how the schema was reached: any value is accepted then.
    const [anchor, ...others] = dynamic.get(String($dynamicRef).replace(/^.*#/, '')) ?? [];
    const isAmbiguous = anchor !== undefined && others.length > 0;
    const written = [$ref, $recursiveRef, isAmbiguous ? undefined : $dynamicRef].find(
      (each) => typeof each === 'string',
    );
    if (typeof written !== 'string') continue;
    const target = pointerTo(written, resource) ?? anchor ?? written;
    // The description itself is no schema: `#` is the beginning of a schema with an `$id`.
    if (written === $ref || target !== file.pointer || !isDescription) node['$ref'] = target;
  }
}
