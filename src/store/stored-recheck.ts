/** Shared by rechecks on both engines. */
import { randomUUID } from 'node:crypto';
import { type AnalysisResult, type Evidence, evidenceNow, isProvisional, mostRechecks } from '../domain/analysis.ts';
import type { EvidenceEntry } from '../domain/audit.ts';
import type { AbandonedRecheck, TakenRecheck } from './recheck-store.ts';

/** A file that is due for a recheck, as both engines read it. */
export interface DueRecheck {
  file_id: string;
  organisation_id: string;
  mime_type: string;
  content_sha256: Uint8Array;
  /** The number of earlier attempts. */
  attempts: number;
  result: string;
  later_evidence: string | null;
  /** Whether verification checks still run for the organisation, and its setting is unchanged since the analysis. */
  wanted: boolean;
}

/** Converts a file that a worker takes, with a new lease. */
export function takenRecheckOf({ wanted, ...file }: DueRecheck): TakenRecheck | AbandonedRecheck {
  const { file_id: fileId, organisation_id: organisationId } = file;
  if (!wanted || file.attempts >= mostRechecks)
    return { status: 'given_up', file_id: fileId, organisation_id: organisationId };
  return {
    ...file,
    status: 'taken',
    attempts: file.attempts + 1,
    later_evidence: parseEvidence(file.later_evidence) ?? [],
    lease: { fileId, token: randomUUID() },
  };
}

/** Parses stored evidence. */
export function parseEvidence(text: string | null): Evidence[] | null {
  return text === null ? null : (JSON.parse(text) as Evidence[]);
}

/** The data that saving later evidence stores. */
export interface LaterAnswers {
  laterEvidence: string;
  /** Whether there is more evidence than before; if so, the attempts start again from zero. */
  answered: boolean;
  /** The result with all later evidence; undefined while a question is open. */
  whole: string | undefined;
  entry: EvidenceEntry;
}

/** Computes the data to store. */
export function laterAnswersOf(
  file: Pick<DueRecheck, 'file_id' | 'organisation_id' | 'result' | 'later_evidence'>,
  later: readonly Evidence[],
  at: string,
): LaterAnswers {
  const result = JSON.parse(file.result) as AnalysisResult;
  const openWith = (evidence: readonly Evidence[]) =>
    evidenceNow(result.evidence ?? [], evidence).filter(isProvisional).length;
  const [before, after] = [openWith(parseEvidence(file.later_evidence) ?? []), openWith(later)];
  const evidence = evidenceNow(result.evidence ?? [], later);
  return {
    laterEvidence: JSON.stringify(later),
    answered: after < before,
    whole: after === 0 ? JSON.stringify({ ...result, evidence }) : undefined,
    entry: {
      id: randomUUID(),
      occurred_at: at,
      organisation_id: file.organisation_id,
      credential_id: null,
      action: 'file.evidence.added',
      before: { unavailable: before },
      after: { file_id: file.file_id, unavailable: after },
      request_id: null,
      cleared: 0,
    },
  };
}
