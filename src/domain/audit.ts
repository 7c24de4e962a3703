/** One entry of the audit log, which is append-only (decision D26). */
export type AuditEntry = SettingUpdateEntry | FeatureUpdateEntry | AnalysisEndEntry | EvidenceEntry;

interface CommonFacts {
  id: string;
  occurred_at: string;
  organisation_id: string;
  /** How many cached analysis results were cleared. */
  cleared: number;
}

/** A client of the API updated the verification setting. */
export interface SettingUpdateEntry extends CommonFacts {
  action: 'organisation.verification-setting.updated';
  credential_id: string;
  request_id: string;
  before: { enabled: boolean };
  after: { enabled: boolean };
}

/** The operator gave an organisation a feature or took it away: no credential and no request stand behind it. */
export interface FeatureUpdateEntry extends CommonFacts {
  action: 'organisation.feature.updated';
  credential_id: null;
  request_id: null;
  before: { feature: string; enabled: boolean };
  after: { feature: string; enabled: boolean };
}

/** The service itself ended the analysis of a file: no credential and no request stand behind it. */
export interface AnalysisEndEntry extends CommonFacts {
  action: 'file.analysis.completed' | 'file.analysis.failed';
  credential_id: null;
  request_id: null;
  before: { analysis_status: string };
  after: {
    file_id: string;
    analysis_status: 'analysis_complete' | 'analysis_failed';
    /** Whether it was given the result of another file with the same content. */
    from_cache: boolean;
    /** Whether verification checks ran: the setting was on when the analysis started, and the organisation had the feature. */
    verification_enabled: boolean;
  };
}

/** Registries that were unavailable during the analysis of a file were asked again, and some responded. */
export interface EvidenceEntry extends CommonFacts {
  action: 'file.evidence.added';
  credential_id: null;
  request_id: null;
  /** About how many details a registry was still unavailable. */
  before: { unavailable: number };
  after: { file_id: string; unavailable: number };
}

/** Whether an entry is that of the end of an analysis. */
export function isAnalysisEnd(entry: AuditEntry): entry is AnalysisEndEntry {
  return entry.action === 'file.analysis.completed' || entry.action === 'file.analysis.failed';
}

/** Whether an entry is that of an update of the verification setting. */
export function isSettingUpdate(entry: AuditEntry): entry is SettingUpdateEntry {
  return entry.action === 'organisation.verification-setting.updated';
}
