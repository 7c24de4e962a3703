import { randomUUID } from 'node:crypto';
import type { AnalysisEndEntry, AuditEntry, FeatureUpdateEntry, SettingUpdateEntry } from '../domain/audit.ts';
import type { EndedAnalysis } from './analysis-store.ts';
import type { FeatureChange, VerificationSettingChange } from './store.ts';

/** An audit entry as stored: `before` and `after` are JSON. */
export type AuditRow = Omit<AuditEntry, 'before' | 'after'> & { before: string; after: string };

/** Converts a stored row. */
export function storedAuditEntryOf(row: AuditRow): AuditEntry {
  return { ...row, before: JSON.parse(row.before) as unknown, after: JSON.parse(row.after) as unknown } as AuditEntry;
}

/** The audit entry of an update (decision D26), with the previous value and the number of cached results cleared. */
export function auditEntryOf(change: VerificationSettingChange, before: boolean, cleared: number): SettingUpdateEntry {
  return {
    id: randomUUID(),
    occurred_at: change.occurredAt,
    organisation_id: change.organisationId,
    credential_id: change.credentialId,
    action: 'organisation.verification-setting.updated',
    before: { enabled: before },
    after: { enabled: change.enabled },
    request_id: change.requestId,
    cleared,
  };
}

/** The audit entry of a granted or withdrawn feature, with whether the organisation had it before. */
export function featureEntryOf(change: FeatureChange, before: boolean, cleared: number): FeatureUpdateEntry {
  const { organisationId, feature, enabled, occurredAt } = change;
  return {
    id: randomUUID(),
    occurred_at: occurredAt,
    organisation_id: organisationId,
    credential_id: null,
    action: 'organisation.feature.updated',
    before: { feature, enabled: before },
    after: { feature, enabled },
    request_id: null,
    cleared,
  };
}

/** The audit entry of an ended analysis, with the previous file status and the setting at the start of the analysis. */
export function analysisEndEntryOf(
  ended: EndedAnalysis,
  { at, statusBefore, verificationEnabled }: { at: string; statusBefore: string; verificationEnabled: boolean },
): AnalysisEndEntry {
  return {
    id: randomUUID(),
    occurred_at: at,
    organisation_id: ended.organisation_id,
    credential_id: null,
    action: ended.analysis_status === 'analysis_complete' ? 'file.analysis.completed' : 'file.analysis.failed',
    before: { analysis_status: statusBefore },
    after: {
      file_id: ended.file_id,
      analysis_status: ended.analysis_status,
      from_cache: ended.from_cache,
      verification_enabled: verificationEnabled,
    },
    request_id: null,
    cleared: 0,
  };
}
