/** The tables of the store. The engines differ only in column types. */

/** A value in the form common to all engines: bytes as hexadecimal digits, booleans as 0 or 1. */
export type Cell = string | number | null;
export type Row = readonly Cell[];
export type ColumnType = 'text' | 'integer' | 'boolean' | 'bytes';

export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** The columns that identify and order the rows. */
  readonly key: readonly string[];
}

/** All tables, each after those that it references. */
export const tables = {
  organisation: table('organisation', ['organisation_id'], {
    organisation_id: 'text',
    name: 'text',
    created_at: 'text',
    verification_enabled: 'boolean',
    verification_changes: 'integer',
  }),
  organisationFeature: table('organisation_feature', ['organisation_id', 'feature'], {
    organisation_id: 'text',
    feature: 'text',
  }),
  role: table('role', ['role'], { role: 'text' }),
  rolePermission: table('role_permission', ['role', 'permission'], { role: 'text', permission: 'text' }),
  credential: table('credential', ['credential_id'], {
    credential_id: 'text',
    organisation_id: 'text',
    kind: 'text',
    role: 'text',
    secret_sha256: 'bytes',
    created_at: 'text',
    expires_at: 'text',
    revoked_at: 'text',
  }),
  credentialUse: table('credential_use', ['credential_id'], { credential_id: 'text', last_used_at: 'text' }),
  caseRecord: table('case_record', ['case_id'], {
    case_id: 'text',
    organisation_id: 'text',
    label: 'text',
    metadata: 'text',
    locked_at: 'text',
    created_at: 'text',
    updated_at: 'text',
  }),
  caseFile: table('case_file', ['case_id', 'uploaded_at', 'file_id'], {
    case_id: 'text',
    uploaded_at: 'text',
    file_id: 'text',
    label: 'text',
    thumbnail_url: 'text',
    mime_type: 'text',
    analysis_status: 'text',
    analysis_completed_at: 'text',
  }),
  analysis: table('analysis', ['file_id'], {
    file_id: 'text',
    organisation_id: 'text',
    uploaded_at: 'text',
    content_sha256: 'bytes',
    attempts: 'integer',
    started_at: 'text',
    verification_enabled: 'boolean',
    verification_changes: 'integer',
    lease_token: 'text',
    lease_expires_at: 'text',
    from_cache: 'boolean',
    result: 'text',
    failure: 'text',
    later_evidence: 'text',
  }),
  evidenceRecheck: table('evidence_recheck', ['file_id'], {
    file_id: 'text',
    organisation_id: 'text',
    due_at: 'text',
    attempts: 'integer',
    lease_token: 'text',
  }),
  cachedAnalysisResult: table('cached_analysis_result', ['organisation_id', 'content_sha256'], {
    organisation_id: 'text',
    content_sha256: 'bytes',
    result: 'text',
    created_at: 'text',
  }),
  auditEntry: table('audit_entry', ['sequence'], {
    sequence: 'integer',
    id: 'text',
    occurred_at: 'text',
    organisation_id: 'text',
    credential_id: 'text',
    action: 'text',
    before: 'text',
    after: 'text',
    request_id: 'text',
    cleared: 'integer',
  }),
};

function table<C extends Record<string, ColumnType>>(name: string, key: (keyof C & string)[], columns: C) {
  return { name, key, columns };
}
