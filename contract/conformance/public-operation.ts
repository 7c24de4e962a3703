import type { Operation } from '../document/model.ts';

/** Whether the operation can be called without a credential. */
export function isPublic({ security }: Pick<Operation, 'security'>): boolean {
  return security.length === 0 || security.some((schemes) => schemes.length === 0);
}
