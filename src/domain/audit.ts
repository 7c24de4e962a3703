import { randomUUID } from 'node:crypto';

/** One entry of the audit log, which is append-only (decision D26). */
export type AuditEntry = SettingUpdateEntry | FeatureUpdateEntry | AnalysisEndEntry | EvidenceEntry;

interface CommonFacts {
  id: string;
  occurred_at: string;
  organisation_id: string;
  cleared: number;
}

/** Facts of an entry without a client, so without a credential and a request. */
interface FactsWithoutClient extends CommonFacts {
  credential_id: null;
  request_id: null;
}

export interface SettingUpdateEntry extends CommonFacts {
  action: 'organisation.verification-setting.updated';
  credential_id: string;
  request_id: string;
  before: { enabled: boolean };
  after: { enabled: boolean };
}

export interface FeatureUpdateEntry extends FactsWithoutClient {
  action: 'organisation.feature.updated';
  before: { feature: string; enabled: boolean };
  after: { feature: string; enabled: boolean };
}

export interface AnalysisEndEntry extends FactsWithoutClient {
  action: 'file.analysis.completed' | 'file.analysis.failed';
  before: { analysis_status: string };
  after: {
    file_id: string;
    analysis_status: 'analysis_complete' | 'analysis_failed';
    /** Whether the file got the cached result of another file with the same content. */
    from_cache: boolean;
    /** Whether checks ran: when the analysis started, the setting was on and the organisation had the feature. */
    verification_enabled: boolean;
  };
}

/** A recheck of a file whose analysis met unavailable registries: some have now responded. */
export interface EvidenceEntry extends FactsWithoutClient {
  action: 'file.evidence.added';
  before: { unavailable: number };
  after: { file_id: string; unavailable: number };
}

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
