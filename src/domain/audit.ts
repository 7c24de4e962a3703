import { randomUUID } from 'node:crypto';

/** An entry of the audit log, which is append-only (decision D26). It has a credential and a request if a client asked. */
interface Entry<Action extends string, Before, After = Before, Client extends string | null = null> {
  id: string;
  occurred_at: string;
  organisation_id: string;
  credential_id: Client;
  request_id: Client;
  action: Action;
  before: Before;
  after: After;
  cleared: number;
}

type Setting = { enabled: boolean };

export type SettingUpdateEntry = Entry<'organisation.verification-setting.updated', Setting, Setting, string>;

/** The operator granted or withdrew a feature of an organisation. */
export type FeatureUpdateEntry = Entry<'organisation.feature.updated', Setting & { feature: string }>;

type AnalysisEndEntry = Entry<
  'file.analysis.completed' | 'file.analysis.failed',
  { analysis_status: string },
  {
    file_id: string;
    analysis_status: 'analysis_complete' | 'analysis_failed';
    /** Whether the file got the cached result of another file with the same content. */
    from_cache: boolean;
    /** Whether checks ran: when the analysis started, the setting was on and the organisation had the feature. */
    verification_enabled: boolean;
  }
>;

/** Registries that were unavailable during an analysis have now responded; the numbers are those still open. */
type EvidenceEntry = Entry<'file.evidence.added', { unavailable: number }, { file_id: string; unavailable: number }>;

export type AuditEntry = SettingUpdateEntry | FeatureUpdateEntry | AnalysisEndEntry | EvidenceEntry;

export function isAnalysisEnd(entry: AuditEntry): entry is AnalysisEndEntry {
  return entry.action === 'file.analysis.completed' || entry.action === 'file.analysis.failed';
}

export function isSettingUpdate(entry: AuditEntry): entry is SettingUpdateEntry {
  return entry.action === 'organisation.verification-setting.updated';
}

/** The audit entry of an update (decision D26), with the previous value and the number of cached results cleared. */
export function auditEntryOf(
  change: { organisationId: string; enabled: boolean; credentialId: string; requestId: string; occurredAt: string },
  before: boolean,
  cleared: number,
): SettingUpdateEntry {
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
