import { randomUUID } from 'node:crypto';
import { type AnalysisFailure, type ChecksPreventedBy, mostAttempts } from '../domain/analysis.ts';
import type { AnalysisEndEntry } from '../domain/audit.ts';
import type { EndedAnalysis, FileAnalysis, LeaseTime, TakenAnalysis, Taking, Turn } from './analysis-store.ts';
import { analysisEndEntryOf } from './audit-entry.ts';
import type { Currency } from './cached-result.ts';
import { editionOf, type ReadRegister } from './company-register-import.ts';
import { parseEvidence } from './stored-recheck.ts';

/** A file whose analysis starts or ends, as both engines read it. */
export interface AnalysisFile {
  file_id: string;
  case_id: string;
  organisation_id: string;
  /** The status before the change. */
  analysis_status: string;
}

/** A file that can be taken. */
export interface NextFile extends AnalysisFile {
  mime_type: string;
  content_sha256: Uint8Array;
  /** The number of earlier attempts. */
  attempts: number;
}

/** Converts a file that a worker takes, with a new lease. */
export function takenAnalysisOf(file: NextFile, preventedBy: ChecksPreventedBy | null): TakenAnalysis {
  return {
    ...file,
    analysis_status: 'analysing',
    attempts: file.attempts + 1,
    verification_enabled: preventedBy === null,
    ...(preventedBy !== null && { checks_prevented_by: preventedBy }),
    lease: { fileId: file.file_id, token: randomUUID() },
  };
}

/** How an analysis ends: with a result as JSON, or with a failure. */
export type Ending = {
  at: string;
  fromCache: boolean;
  /** Whether verification checks ran. */
  verificationEnabled: boolean;
} & ({ result: string } | { failure: AnalysisFailure });

/** The data that ending an analysis saves, and what it returns. */
export interface End {
  result: string | null;
  failure: string | null;
  ended: EndedAnalysis;
  entry: AnalysisEndEntry;
}

/** Computes the end of an analysis. */
export function endOf(file: AnalysisFile, { at, fromCache, verificationEnabled, ...outcome }: Ending): End {
  const complete = 'result' in outcome;
  const ended: EndedAnalysis = {
    analysis_status: complete ? 'analysis_complete' : 'analysis_failed',
    file_id: file.file_id,
    case_id: file.case_id,
    organisation_id: file.organisation_id,
    from_cache: fromCache,
  };
  return {
    result: complete ? outcome.result : null,
    failure: complete ? null : JSON.stringify(outcome.failure),
    ended,
    entry: analysisEndEntryOf(ended, { at, statusBefore: file.analysis_status, verificationEnabled }),
  };
}

/** The maximum duration of a lease. */
export const longestLeaseMilliseconds = 60 * 60 * 1000;

/**
 * The latest time at which a current lease can end. A lease with a later end comes from a wrong clock and is ignored.
 */
export function latestLeaseEnd(at: string): string {
  return leaseEnd({ at, leaseMilliseconds: longestLeaseMilliseconds });
}

/** When a lease ends, by the caller's clock. */
export function leaseEnd({ at, leaseMilliseconds }: LeaseTime): string {
  return timeAfter(at, leaseMilliseconds);
}

/** Adds milliseconds to a time. */
export function timeAfter(at: string, milliseconds: number): string {
  return new Date(Date.parse(at) + milliseconds).toISOString();
}

/** The criteria for the evidence in a cached result when a file is taken, given the imported registers. */
export function currencyOf({ at, askedSince }: Pick<Taking, 'at' | 'askedSince'>, registers: ReadRegister[]): Currency {
  const askedUntil = latestLeaseEnd(at);
  return { editions: registers.map(editionOf), askedSince: askedSince ?? askedUntil, askedUntil };
}

/** Sorts after every identifier. */
const end = '\u{10ffff}';

/**
 * The ranges of organisation identifiers, bounds excluded, in which to look for the next file, in this order. An index
 * finds the first file of a range without reading files of other organisations.
 */
export function rangesInTurn({ after, busy, only }: Turn = { after: '', busy: [] }): [from: string, to: string][] {
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

/** The failure of a file whose workers were all lost. */
export const workerLost: AnalysisFailure = {
  code: 'worker-lost',
  message: `The analysis was started ${mostAttempts} times, and each time its worker was lost.`,
};

/** A row of a file and its analysis; failure and evidence are JSON. */
export type FileAnalysisRow = Omit<FileAnalysis, 'failure' | 'later_evidence'> & {
  failure: string | null;
  later_evidence: string | null;
};

/** Converts a stored row. */
export function fileAnalysisOf(row: FileAnalysisRow): FileAnalysis {
  return {
    ...row,
    later_evidence: parseEvidence(row.later_evidence),
    failure: row.failure === null ? null : (JSON.parse(row.failure) as AnalysisFailure),
  };
}
