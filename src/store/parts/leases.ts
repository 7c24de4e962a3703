/** Queues of files, which workers take under leases, and the order in which they take them. */
import { first, type Statements } from '../statements.ts';
import type { Part } from './dialect.ts';

/** The right to end one analysis or recheck. It is lost when another worker takes the file, or when the work ends. */
export interface Lease {
  readonly fileId: string;
  /** A unique random value. */
  readonly token: string;
}

export interface LeaseTime {
  readonly at: string;
  readonly leaseMilliseconds: number;
}

/**
 * Whose file is taken next: of the organisation after the last one, in the order of identifiers, so that none waits for
 * all files of another; of one that is busy, if no other has files.
 */
export interface Turn {
  readonly after: string;
  readonly busy: readonly string[];
  /** If given, files of this organisation alone. */
  readonly only?: string;
}

export const longestLeaseMilliseconds = 60 * 60 * 1000;

/** The latest time at which a current lease can end. A lease with a later end comes from a wrong clock and is ignored. */
export function latestLeaseEnd(at: string): string {
  return new Date(Date.parse(at) + longestLeaseMilliseconds).toISOString();
}

/** The files of a queue. */
export const queued = (db: Part['db'], queue: 'analysis' | 'evidence_recheck') => db.selectFrom(queue);

/** A file that is locked until the end of the transaction. */
type LockedFile = Record<'file_id' | 'organisation_id', string>;

/** Locks the earliest of these files of the organisation whose turn it is. */
export function* lockNext(
  files: ReturnType<typeof queued>,
  earliest: 'uploaded_at' | 'due_at',
  turn: Turn | undefined,
): Statements<LockedFile | undefined> {
  const inOrder = files.orderBy('organisation_id').orderBy(earliest).orderBy('file_id').limit(1);
  // Skips a file that another worker is taking.
  const unlocked = inOrder.select(['file_id', 'organisation_id']).forUpdate().skipLocked();
  if (turn?.only !== undefined) return yield* first(unlocked.where('organisation_id', '=', turn.only));
  for (const [from, to] of rangesInTurn(turn)) {
    const found = yield* first(unlocked.where('organisation_id', '>', from).where('organisation_id', '<', to));
    if (found) return found;
  }
  return undefined;
}

/** Locks the file of a lease; undefined if the lease is lost. */
export function lockLeased(files: ReturnType<typeof queued>, { fileId, token }: Lease) {
  const leased = files.where('file_id', '=', fileId).where('lease_token', '=', token);
  return first(leased.select(['file_id', 'organisation_id']).forUpdate());
}

/** Sorts after every identifier. */
const end = '\u{10ffff}';

/**
 * The ranges of organisation identifiers, bounds excluded, in which to look for the next file, in this order. An index
 * finds the first file of a range without reading files of other organisations.
 */
function rangesInTurn({ after, busy }: Turn = { after: '', busy: [] }): [from: string, to: string][] {
  const throughAfter = `${after}\u0001`;
  const idleBetween = (from: string, to: string): [string, string][] => {
    const bounds = [from, ...busy.filter((id) => from < id && id < to).sort(), to];
    return bounds.slice(1).map((bound, index) => [bounds[index] ?? '', bound]);
  };
  const idle = [...idleBetween(after, end), ...idleBetween('', throughAfter)];
  return busy.length === 0 ? idle : [...idle, [after, end], ['', throughAfter]];
}
