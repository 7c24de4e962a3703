import semver from 'semver';
import { type Change, type Kind, readDocument } from './document.ts';
import { compareContracts } from './compare-contracts.ts';
import { lastReleased, lowestVersion, refuseEditedReleases, versionOf } from './released.ts';

export const contractFile = 'openapi/openapi.yaml';

/** The comparison of the authored contract with the last released one. */
export interface Verdict {
  readonly version: string;
  /** Absent if nothing has been released yet. */
  readonly released?: string;
  readonly kind: Kind;
  readonly changes: readonly Change[];
  /** The lowest version with which the changes can be released. */
  readonly lowestVersion: string;
  /** False if the document's version does not announce a breaking change. */
  readonly announced: boolean;
  /** Why released contracts could not be checked for edits. */
  readonly unseen?: string;
}

/**
 * Compares the contract with the last released one.
 * @throws {Error} if a released contract was edited, or the version is lower than the released one
 */
export async function judgeContract(): Promise<Verdict> {
  const unseen = await refuseEditedReleases();
  const [released, document] = [await lastReleased(), await readDocument(contractFile)];
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
