/** References of a bundled document. All of them are local, such as `#/components/schemas/Case`. */

/** Whether a node of a document is a reference. */
export function isReference(node: unknown): node is { $ref: string } {
  return typeof node === 'object' && node !== null && '$ref' in node && typeof node.$ref === 'string';
}

/** The keys of a JSON pointer, such as `#/paths/~1cases/get`. */
export function keysOfPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Sets a field of any name. */
export function define(node: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });
  else (node as Record<string, unknown>)[key] = value;
}

/** Whether a reference is a JSON pointer of its own file. */
export function isLocal(reference: string): boolean {
  return /^#(\/|$)/.test(reference);
}

/** More references one after the other lead to themselves. */
const mostHops = 100;

/** The target of a local reference, also through other references; undefined if the reference is broken. */
export function targetOf(root: object, reference: string, hops = 0): unknown {
  const child = (node: unknown, key: string): unknown => {
    const isElsewhere = isReference(node) && !Object.hasOwn(node, key);
    const parent = isElsewhere ? targetOf(root, node.$ref, hops + 1) : node;
    return (parent as Record<string, unknown> | null | undefined)?.[key];
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
    const result: Record<string, unknown> | unknown[] = Array.isArray(node) ? [] : {};
    copies.set(node, result);
    for (const key of Object.keys(node)) define(result, key, copy((node as Record<string, unknown>)[key]));
    return result;
  };
  return copy(root) as Bundled;
}
