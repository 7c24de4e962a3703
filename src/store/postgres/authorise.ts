import pg from 'pg';
import type { Authorisation, HeldRights } from '../authorisation.ts';

/** The placeholder for rights that have not been read yet. */
export const noneKnown = '';

/**
 * Returns a statement for each caller that reads and locks its rights. The statements are sent together with `BEGIN`,
 * so that they cost no round trip.
 */
export function holdRights({ callers }: Authorisation): string[] {
  return callers.map(({ credentialId, organisationId }) => {
    const values = [credentialId, organisationId].map((id) => pg.escapeLiteral(id));
    return `SELECT hold_rights(${values.join(', ')})`;
  });
}

/** Checks the rights in the last results, which are those of `holdRights`. */
export function checkRights({ callers, check }: Authorisation, results: unknown): void {
  const rights = (results as pg.QueryResult<{ hold_rights: string | null }>[]).slice(-callers.length);
  check(rights.map(({ rows: [row] }) => rightsOf(row?.hold_rights ?? null)));
}

/** Parses a result of `hold_rights`, which is null if there is no such organisation. */
export function rightsOf(text: string | null): HeldRights | undefined {
  if (text === null) return undefined;
  const { credential, ...held } = JSON.parse(text) as Omit<HeldRights, 'credential'> & {
    credential: HeldRights['credential'] | null;
  };
  return { credential: credential ?? undefined, ...held };
}
