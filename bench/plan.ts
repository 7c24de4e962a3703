/** The plan of the data, which the load generator shares with the program that makes it. */
import { createHash } from 'node:crypto';

export const organisations = 1000;

/** How many cases there are by size of the data. The first has 100,000 files, the second 1,000, each other one ten. */
export const caseCount = { usual: 20_000, small: 10_000, large: 100_000 } as const;

/** The numbers of the large cases, by number of files. */
export const largeCases = { 100_000: 0, 1000: 1 } as const;

export function ownerOf(caseNumber: number): number {
  return caseNumber % organisations;
}

/** The identifier of an item: a UUID, distributed like a random one. */
export function identifierOf(kind: 'organisation' | 'case' | 'file', number: number): string {
  const digits = createHash('sha256').update(`${kind} ${number}`).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join('-');
}
