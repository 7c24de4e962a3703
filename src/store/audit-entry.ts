import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../domain/audit.js';
import type { VerificationSettingChange } from './store.js';

/** The audit entry of an update (decision D26), by the value held before and how many cached results it cleared. */
export function auditEntryOf(change: VerificationSettingChange, before: boolean, cleared: number): AuditEntry {
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
