/** The part of asking registries again that both engines share. */
import { randomUUID } from 'node:crypto';
import { type AnalysisResult, type Evidence, evidenceNow, isProvisional, mostRechecks } from '../domain/analysis.ts';
import type { EvidenceEntry } from '../domain/audit.ts';
import type { AbandonedRecheck, TakenRecheck } from './recheck-store.ts';

/** A file that is due, as both engines read it. */
export interface DueRecheck {
  file_id: string;
  organisation_id: string;
  mime_type: string;
  content_sha256: Uint8Array;
  /** How often it was taken before. */
  attempts: number;
  result: string;
  later_evidence: string | null;
  /** Whether the organisation still wants what its analysis was started with. */
  wanted: boolean;
}

/** A file as a worker takes it, with a new lease. */
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

/** Evidence that is stored as JSON. */
export function parseEvidence(text: string | null): Evidence[] | null {
  return text === null ? null : (JSON.parse(text) as Evidence[]);
}

/** What is saved of later evidence. */
export interface LaterAnswers {
  laterEvidence: string;
  /** Whether there is more than before; then the attempts are counted from the beginning. */
  answered: boolean;
  /** The result with all later evidence; undefined while a question is open. */
  whole: string | undefined;
  entry: EvidenceEntry;
}

/** Works out what is saved. */
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
