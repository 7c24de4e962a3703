// @ts-nocheck
export const initial = `
CREATE TABLE organisation (
  organisation_id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL,
  verification_enabled INTEGER NOT NULL DEFAULT 0 CHECK (verification_enabled IN (0, 1))
) STRICT;

CREATE TABLE organisation_feature (
  organisation_id TEXT NOT NULL REFERENCES organisation,
  feature TEXT NOT NULL,
  PRIMARY KEY (organisation_id, feature)
) STRICT, WITHOUT ROWID;

CREATE TABLE role (role TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TABLE role_permission (
  role TEXT NOT NULL REFERENCES role,
  permission TEXT NOT NULL,
  PRIMARY KEY (role, permission)
) STRICT, WITHOUT ROWID;

INSERT INTO role VALUES ('owner'), ('member'), ('viewer');
INSERT INTO role_permission VALUES
  ('owner', 'organisation_settings:read'),
  ('owner', 'organisation_settings:write'),
  ('member', 'organisation_settings:read');

CREATE TABLE credential (
  credential_id TEXT PRIMARY KEY,
  organisation_id TEXT NOT NULL REFERENCES organisation,
  kind TEXT NOT NULL CHECK (kind IN ('api-key', 'access-token')),
  role TEXT REFERENCES role CHECK ((kind = 'api-key') = (role IS NOT NULL)),
  secret_sha256 BLOB NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX credential_by_organisation ON credential (organisation_id, created_at);

CREATE TABLE case_record (
  case_id TEXT PRIMARY KEY,
  organisation_id TEXT NOT NULL REFERENCES organisation,
  label TEXT,
  metadata TEXT NOT NULL,
  locked_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The key is the order in which a case lists its files, so that reading one is a single range scan.
CREATE TABLE case_file (
  case_id TEXT NOT NULL REFERENCES case_record,
  uploaded_at TEXT NOT NULL,
  file_id TEXT NOT NULL UNIQUE,
  label TEXT NOT NULL,
  thumbnail_url TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  analysis_status TEXT NOT NULL,
  analysis_completed_at TEXT,
  PRIMARY KEY (case_id, uploaded_at, file_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE cached_analysis_result (
  organisation_id TEXT NOT NULL REFERENCES organisation,
  content_sha256 BLOB NOT NULL CHECK (length(content_sha256) = 32),
  result TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (organisation_id, content_sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_entry (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  occurred_at TEXT NOT NULL,
  organisation_id TEXT NOT NULL REFERENCES organisation,
  credential_id TEXT NOT NULL REFERENCES credential,
  action TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  request_id TEXT NOT NULL,
  cleared INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_entry_by_organisation ON audit_entry (organisation_id, sequence);

CREATE TRIGGER audit_entry_is_not_changed BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entry_is_not_deleted BEFORE DELETE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entry_is_not_replaced BEFORE INSERT ON audit_entry
WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id OR sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
`;
