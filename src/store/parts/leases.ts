/** Leases of files, and the order in which files are taken. */
import type { Compilable } from 'kysely';
import { first, type Statements } from '../statements.ts';

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

/** The first row that a query finds in the ranges of organisations whose turn it is. */
export function* firstInTurn<Row>(
  turn: Turn | undefined,
  find: (from: string, to: string) => Compilable<Row>,
): Statements<Row | undefined> {
  for (const [from, to] of rangesInTurn(turn)) {
    const found = yield* first(find(from, to));
    if (found) return found;
  }
  return undefined;
}

/** Sorts after every identifier. */
const end = '\u{10ffff}';

/**
 * The ranges of organisation identifiers, bounds excluded, in which to look for the next file, in this order. An index
 * finds the first file of a range without reading files of other organisations.
 */
function rangesInTurn({ after, busy, only }: Turn = { after: '', busy: [] }): [from: string, to: string][] {
  if (only !== undefined) {
    const previous = String.fromCharCode(only.charCodeAt(only.length - 1) - 1);
    return [[only.slice(0, -1) + previous + end, `${only}\u0001`]];
  }
  const throughAfter = `${after}\u0001`;
  const idleBetween = (from: string, to: string): [string, string][] => {
    const bounds = [from, ...busy.filter((id) => from < id && id < to).sort(), to];
    return bounds.slice(1).map((bound, index) => [bounds[index] ?? '', bound]);
  };
  const idle = [...idleBetween(after, end), ...idleBetween('', throughAfter)];
  return busy.length === 0 ? idle : [...idle, [after, end], ['', throughAfter]];
}
