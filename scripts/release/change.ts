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
