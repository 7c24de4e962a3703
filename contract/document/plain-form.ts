/**
 * Brings a file of a document to the form that the model is made from. Documents of others have `null` where nothing was
 * written, `$ref` with another meaning in their extensions, and, in OpenAPI 3.1, references that JSON Schema resolves
 * by `$id`, `$anchor` and `$dynamicAnchor`.
 */

import { define } from './references.ts';

type Node = Record<string, unknown>;

/** Objects with names of the author's choice as keys, not keywords. */
const maps =
  /^(paths|responses|headers|content|examples|encoding|callbacks|links|security|securitySchemes|schemas|parameters|requestBodies|pathItems|properties|patternProperties|dependentSchemas|\$defs|definitions|x-service-responses)$/;

/** Keywords whose values are data of the API; of a list, the items. */
const data = /^(example|default|const|value)$/;
const dataLists = /^(enum|examples)$/;

/** The extensions that contain references. */
const knownExtensions = /^x-(service-responses|error-codes)$/;

/** The content of a file as the model reads it. @param text the file, as it is written */
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
  const targetOf = (reference: string, { base }: Resource): string | undefined => {
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
    const target = targetOf(written, resource) ?? anchor ?? written;
    // The description itself is no schema: `#` is the beginning of a schema with an `$id`.
    if (written === $ref || target !== file.pointer || !isDescription) node['$ref'] = target;
  }
}
