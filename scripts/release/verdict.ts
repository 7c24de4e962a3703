import { join } from 'node:path';
import semver from 'semver';
import type { Change, Kind } from './change.ts';
import { compareContracts } from './compare-contracts.ts';
import { readDocument } from './document.ts';
import { lastReleased, refuseEditedReleases, versionOf } from './released.ts';
import { lowestVersion } from './versions.ts';

/** The contract as it is written, the first file of the program. */
export const contractFile = 'openapi/openapi.yaml';

/** What is to be said of the contract as it is written, beside the last released one. */
export interface Verdict {
  /** The version that the document says it has. */
  readonly version: string;
  /** Absent if nothing is released yet. */
  readonly released?: string;
  readonly kind: Kind;
  readonly changes: readonly Change[];
  /** The lowest version that the changes can be released as. */
  readonly lowestVersion: string;
  /** False if a breaking change is not announced by the document's version. */
  readonly announced: boolean;
  /** Why it could not be seen whether released contracts were edited. */
  readonly unseen?: string;
}

/**
 * Compares the contract with the last released one.
 * @throws {Error} if a released contract was edited, or the version is lower than the released one
 */
export async function judgeContract(root: string): Promise<Verdict> {
  const unseen = await refuseEditedReleases(root);
  const [released, document] = [await lastReleased(root), await readDocument(join(root, contractFile))];
  const version = versionOf(document);
  const base = { version, ...(unseen !== undefined && { unseen }) };
  if (released === undefined) return { ...base, kind: 'none', changes: [], lowestVersion: '0.0.0', announced: true };
  if (semver.lt(version, released.version))
    throw new Error(`info.version of ${contractFile} is ${version}, and ${released.version} is released already.`);
  const { kind, changes } = await compareContracts(released.document, document);
  const lowest = lowestVersion(released.version, kind);
  const announced = kind !== 'breaking' || semver.gte(version, lowest);
  return { ...base, released: released.version, kind, changes, lowestVersion: lowest, announced };
}
