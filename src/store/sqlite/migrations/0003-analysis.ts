export const analysis = `
-- The number of changes of the setting. It shows whether the setting changed during an analysis, even back and forth.
ALTER TABLE organisation ADD COLUMN verification_changes INTEGER NOT NULL DEFAULT 0;

CREATE TABLE analysis (
  file_id TEXT PRIMARY KEY REFERENCES case_file (file_id),
  organisation_id TEXT NOT NULL REFERENCES organisation,
  uploaded_at TEXT NOT NULL,
  content_sha256 BLOB NOT NULL CHECK (length(content_sha256) = 32),
  attempts INTEGER NOT NULL DEFAULT 0,
  started_at TEXT,
  verification_enabled INTEGER CHECK (verification_enabled IN (0, 1)),
  verification_changes INTEGER,
  lease_token TEXT,
  lease_expires_at TEXT,
  from_cache INTEGER CHECK (from_cache IN (0, 1)),
  result TEXT,
  failure TEXT,
  CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
  CHECK (result IS NULL OR failure IS NULL)
) STRICT;
-- Unfinished analyses, in the order in which they are taken.
CREATE INDEX analysis_to_take ON analysis (uploaded_at, file_id) WHERE result IS NULL AND failure IS NULL;

-- Actions of the service itself have no credential and no request. SQLite cannot drop NOT NULL: rebuild the table.
CREATE TABLE audit_entry_with_optional_credential (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  occurred_at TEXT NOT NULL,
  organisation_id TEXT NOT NULL REFERENCES organisation,
  credential_id TEXT REFERENCES credential,
  action TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  request_id TEXT,
  cleared INTEGER NOT NULL,
  CHECK ((credential_id IS NULL) = (request_id IS NULL))
) STRICT;
INSERT INTO audit_entry_with_optional_credential
  SELECT sequence, id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared
  FROM audit_entry ORDER BY sequence;
DROP TABLE audit_entry;
ALTER TABLE audit_entry_with_optional_credential RENAME TO audit_entry;
CREATE INDEX audit_entry_by_organisation ON audit_entry (organisation_id, sequence);

CREATE TRIGGER audit_entry_is_not_changed BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entry_is_not_deleted BEFORE DELETE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entry_is_not_replaced BEFORE INSERT ON audit_entry
WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id OR sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
`;
