import { randomUUID } from 'node:crypto';
import type { SettingUpdateEntry } from '../domain/audit.ts';
import type { VerificationSettingChange } from './store.ts';

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
