import { httpMethods } from '../model.ts';
import type { RawDocument, RawOperation, RawPathItem } from '../raw.ts';

/** Where something stands: the keys on the way to it from the root of the document, through references. */
export type Place = readonly (string | number)[];

/** What is wrong with a document. */
export interface Fault {
  /** The keys on the way to it; a key that is absent is reported at what is nearest to it. */
  readonly place: Place;
  /** `what is wrong; what to write instead`. */
  readonly message: string;
}

/** An operation of a document that may have faults, with the keys on the way to it. */
export interface PlacedOperation {
  readonly place: Place;
  /** What it is called in messages: its operationId, or else its method and path. */
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

/** The entries of an object, if it is one. */
export function entriesOf<Value>(node: Readonly<Record<string, Value>> | undefined): [string, Value][] {
  return typeof node === 'object' && (node as object | null) !== null ? Object.entries(node) : [];
}

/** Values that come more than once, each with those that have it. */
export function repeated<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): [first: Item, ...others: Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()].filter((group) => group.length > 1) as [Item, ...Item[]][];
}
