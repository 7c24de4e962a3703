import pg from 'pg';
import type { Authorisation, HeldRights } from '../authorisation.ts';

/** In place of the rights of a caller of whom none are known. */
export const noneKnown = '';

/**
 * A statement for each caller that reads its rights and holds them. It is sent together with what begins the transaction,
 * so that it costs no round trip.
 */
export function holdRights({ callers }: Authorisation): string[] {
  return callers.map(({ credentialId, organisationId }) => {
    const values = [credentialId, organisationId].map((id) => pg.escapeLiteral(id));
    return `SELECT hold_rights(${values.join(', ')})`;
  });
}

/** Has the rights checked that the last of these results tell. */
export function checkRights({ callers, check }: Authorisation, results: unknown): void {
  const rights = (results as pg.QueryResult<{ hold_rights: string | null }>[]).slice(-callers.length);
  check(rights.map(({ rows: [row] }) => rightsOf(row?.hold_rights ?? null)));
}

/** Rights in the form in which PostgreSQL holds them; null if there is no such organisation. */
export function rightsOf(text: string | null): HeldRights | undefined {
  if (text === null) return undefined;
  const { credential, ...held } = JSON.parse(text) as Omit<HeldRights, 'credential'> & {
    credential: HeldRights['credential'] | null;
  };
  return { credential: credential ?? undefined, ...held };
}
