/**
 * The data, computed from numbers: the number of a case determines its identifier, its organisation and its files, so
 * that the load generator needs no list of them.
 */
import { createHash } from 'node:crypto';

/** The size of the data. */
export const sizes = { organisations: 1000, cases: 100_000, files: 1_000_000 } as const;

/** The numbers of the large cases, by number of files. */
export const largeCases = { 100_000: 0, 1000: 1 } as const;

const filesOfLargeCases = 100_000 + 1000;
const usualFiles = 10;

/** The numbers of the cases with ten files; those after them have none. */
export const usualCases = { first: 2, last: 1 + (sizes.files - filesOfLargeCases) / usualFiles } as const;

/** How many files the case of this number has. */
export function fileCount(caseNumber: number): number {
  if (caseNumber === largeCases[100_000]) return 100_000;
  if (caseNumber === largeCases[1000]) return 1000;
  return caseNumber <= usualCases.last ? usualFiles : 0;
}

/** The number of the organisation that owns the case of this number. */
export function ownerOf(caseNumber: number): number {
  return caseNumber % sizes.organisations;
}

export type Kind = 'organisation' | 'case' | 'file' | 'credential';

/** The identifier of an item: a UUID, distributed like a random one. */
export function identifierOf(kind: Kind, number: number): string {
  const digits = createHash('sha256').update(`${kind} ${number}`).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return [...parts, digits.slice(20, 32)].join('-');
}
