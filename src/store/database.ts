/** The tables of the store, for Kysely. Both engines have the same ones; the schema is in `schema/`. */
import type { Generated } from 'kysely';
import type { RegisterName } from './company-register-store.ts';

/** An instant: ISO 8601 in UTC with milliseconds. */
type Instant = string;

export interface Database {
  organisation: {
    organisation_id: string;
    name: string;
    created_at: Instant;
    verification_enabled: boolean;
    verification_changes: Generated<number>;
  };
  organisation_feature: { organisation_id: string; feature: string };
  role: { role: string };
  role_permission: { role: string; permission: string };
  credential: {
    credential_id: string;
    organisation_id: string;
    kind: 'api-key' | 'access-token';
    role: string | null;
    secret_sha256: Uint8Array;
    created_at: Instant;
    expires_at: Instant | null;
    revoked_at: Instant | null;
  };
  credential_use: { credential_id: string; last_used_at: Instant };
  case_record: {
    case_id: string;
    organisation_id: string;
    label: string | null;
    /** JSON. */
    metadata: string;
    locked_at: Instant | null;
    created_at: Instant;
    updated_at: Instant;
  };
  case_file: {
    case_id: string;
    uploaded_at: Instant;
    file_id: string;
    label: string;
    thumbnail_url: string;
    mime_type: string;
    analysis_status: string;
    analysis_completed_at: Instant | null;
  };
  analysis: {
    file_id: string;
    organisation_id: string;
    uploaded_at: Instant;
    content_sha256: Uint8Array;
    attempts: Generated<number>;
    started_at: Instant | null;
    verification_enabled: boolean | null;
    verification_changes: number | null;
    lease_token: string | null;
    lease_expires_at: Instant | null;
    from_cache: boolean | null;
    /** An `AnalysisResult` as JSON. */
    result: string | null;
    /** JSON. */
    failure: string | null;
    /** JSON. */
    later_evidence: string | null;
  };
  evidence_recheck: {
    file_id: string;
    organisation_id: string;
    due_at: Instant;
    attempts: Generated<number>;
    lease_token: string | null;
  };
  cached_analysis_result: { organisation_id: string; content_sha256: Uint8Array; result: string; created_at: Instant };
  audit_entry: {
    sequence: Generated<number>;
    id: string;
    occurred_at: Instant;
    organisation_id: string;
    credential_id: string | null;
    action: string;
    /** JSON. */
    before: string;
    /** JSON. */
    after: string;
    request_id: string | null;
    cleared: number;
  };
  company_register: {
    generation: Generated<number>;
    register: RegisterName;
    state: 'importing' | 'current' | 'outdated';
    source: string | null;
    companies: number | null;
    imported_at: Instant | null;
  };
  registry_company: {
    generation: number;
    company_number: string;
    name: string;
    status: string;
    other_name: string | null;
    /** On PostgreSQL. */
    business_number: string | null;
  };
  /** On SQLite: its rows are stored in their own order, because each company would change a different page of an index. */
  registry_business_number: { generation: number; business_number: string; company_number: string };
}
