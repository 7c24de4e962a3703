/** One entry of the audit log, which is append-only (decision D26). */
// @ts-nocheck

export interface AuditEntry {
  id: string;
  occurred_at: string;
  organisation_id: string;
  credential_id: string;
  action: 'organisation.verification-setting.updated';
  before: { enabled: boolean };
  after: { enabled: boolean };
  request_id: string;
  /** How many cached analysis results were cleared. */
  cleared: number;
}
