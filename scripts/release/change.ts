/** One difference between two versions of the contract. */
export interface Change {
  /** Breaking: a client that keeps to the earlier contract, or was generated from it, may fail. */
  readonly severity: 'breaking' | 'compatible';
  /** The operation, as in `PUT /cases/{id}`, or the part of the document that belongs to none. */
  readonly where: string;
  readonly text: string;
}

/** How two versions of the contract differ, by what a version number must say of it. */
export type Kind = 'breaking' | 'compatible' | 'text' | 'none';

/** What changed, and what kind of change that is as a whole. */
export interface Comparison {
  readonly kind: Kind;
  readonly changes: readonly Change[];
}

export const breaking = (where: string, text: string): Change => ({ severity: 'breaking', where, text });

export const compatible = (where: string, text: string): Change => ({ severity: 'compatible', where, text });
