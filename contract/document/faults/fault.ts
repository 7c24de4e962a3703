import { httpMethods } from '../model.ts';
import type { RawDocument, RawOperation, RawPathItem } from '../raw.ts';

/** A place in the document: the keys from its root, through references. */
export type Place = readonly (string | number)[];

/** A fault of a document. */
export interface Fault {
  /** The keys that lead to it. A fault at an absent key is reported at the nearest key. */
  readonly place: Place;
  /** `the fault; what to write instead`. */
  readonly message: string;
}

/** An operation of a document that may have faults, with the keys that lead to it. */
export interface PlacedOperation {
  readonly place: Place;
  /** Its name in messages: the operationId, or else method and path. */
  readonly name: string;
  readonly path: string;
  readonly item: RawPathItem;
  readonly operation: RawOperation;
}

/** The operations of a document that may have faults. */
export function placedOperations(document: RawDocument): PlacedOperation[] {
  return entriesOf(document.paths).flatMap(([path, item]) =>
    httpMethods.flatMap((method) => {
      const operation = (item as RawPathItem | undefined)?.[method] as Partial<RawOperation> | null | undefined;
      if (typeof operation !== 'object' || operation === null) return [];
      const name = operation.operationId ?? `${method.toUpperCase()} ${path}`;
      return [{ place: ['paths', path, method], name, path, item, operation: operation as RawOperation }];
    }),
  );
}

/** The entries of an object; none if the node is not an object. */
export function entriesOf<Value>(node: Readonly<Record<string, Value>> | undefined): [string, Value][] {
  return typeof node === 'object' && (node as object | null) !== null ? Object.entries(node) : [];
}

/** The items that share a value, in groups. */
export function repeated<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): [first: Item, ...others: Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()].filter((group) => group.length > 1) as [Item, ...Item[]][];
}
