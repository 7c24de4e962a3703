/** The tables of the store, for Kysely. Both engines have the same ones; the schema is in `schema/`. */
import type { Generated } from 'kysely';
import type { AuditEntry } from '../domain/audit.ts';
import type { CaseRecord, FileSummary } from '../domain/case.ts';
import type { Credential } from '../domain/credential.ts';
import type { Organisation, Role } from '../domain/organisation.ts';
import type { RegisteredCorporation, RegisterName } from './staged-imports.ts';

/** An instant: ISO 8601 in UTC with milliseconds. */
type Instant = string;
/** A row in which these fields are JSON. */
type WithJson<Row, Fields extends keyof Row> = Omit<Row, Fields> & Record<Fields, string>;

export interface Database {
  organisation: Omit<Organisation, 'features'> & { verification_changes: Generated<number> };
  organisation_feature: { organisation_id: string; feature: string };
  role: Pick<Role, 'role'>;
  role_permission: { role: string; permission: string };
  credential: Credential & { secret_sha256: Uint8Array };
  credential_use: { credential_id: string; last_used_at: Instant };
  case_record: WithJson<CaseRecord, 'metadata'> & { organisation_id: string };
  case_file: FileSummary & { case_id: string };
  analysis: {
    file_id: string;
    organisation_id: string;
    uploaded_at: Instant;
    content_sha256: Uint8Array;
    attempts: Generated<number>;
    /** When it was last taken, or got a cached result; null until then. */
    started_at: Instant | null;
    /** Whether verification checks ran. */
    verification_enabled: boolean | null;
    verification_changes: number | null;
    lease_token: string | null;
    lease_expires_at: Instant | null;
    /** Whether it got the cached result of another file with the same content. */
    from_cache: boolean | null;
    /** JSON: an `AnalysisResult`, an `AnalysisFailure`, and the later responses of registries, a list of `Evidence`. */
    result: string | null;
    failure: string | null;
    later_evidence: string | null;
  };
  evidence_recheck: {
    file_id: string;
    organisation_id: string;
    due_at: Instant;
    attempts: Generated<number>;
    lease_token: string | null;
  };
  /** The result, as JSON, that a file of the same content gets without being analysed again (decision D27). */
  cached_analysis_result: { organisation_id: string; content_sha256: Uint8Array; result: string; created_at: Instant };
  audit_entry: WithJson<Omit<AuditEntry, 'credential_id' | 'request_id'>, 'before' | 'after'> & {
    sequence: Generated<number>;
    credential_id: string | null;
    request_id: string | null;
  };
  company_register: {
    generation: Generated<number>;
    register: RegisterName;
    state: 'importing' | 'current' | 'outdated';
    source: string | null;
    companies: number | null;
    imported_at: Instant | null;
  };
  registry_company: RegisteredCorporation & { generation: number };
  /** Its rows are stored in their own order, because each company would change a different page of an index. */
  registry_business_number: { generation: number; business_number: string; company_number: string };
}
