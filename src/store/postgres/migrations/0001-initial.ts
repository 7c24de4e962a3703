export const initial = `
-- Compared and sorted by bytes, regardless of the database's collation.
CREATE DOMAIN identifier AS text COLLATE "C";
-- A time in the format of the API and of the embedded store: UTC with milliseconds, which sorts as text.
CREATE DOMAIN instant AS text COLLATE "C" CHECK (VALUE ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$');

CREATE TABLE organisation (
  organisation_id identifier PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at instant NOT NULL,
  verification_enabled boolean NOT NULL DEFAULT false
);

CREATE TABLE organisation_feature (
  organisation_id identifier NOT NULL REFERENCES organisation,
  feature identifier NOT NULL,
  PRIMARY KEY (organisation_id, feature)
);

CREATE TABLE role (role identifier PRIMARY KEY);

CREATE TABLE role_permission (
  role identifier NOT NULL REFERENCES role,
  permission identifier NOT NULL,
  PRIMARY KEY (role, permission)
);

INSERT INTO role VALUES ('owner'), ('member'), ('viewer');
INSERT INTO role_permission VALUES
  ('owner', 'organisation_settings:read'),
  ('owner', 'organisation_settings:write'),
  ('member', 'organisation_settings:read');

CREATE TABLE credential (
  credential_id identifier PRIMARY KEY,
  organisation_id identifier NOT NULL REFERENCES organisation,
  kind text NOT NULL CHECK (kind IN ('api-key', 'access-token')),
  role identifier REFERENCES role CHECK ((kind = 'api-key') = (role IS NOT NULL)),
  secret_sha256 bytea NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
  created_at instant NOT NULL,
  expires_at instant,
  revoked_at instant
);
CREATE INDEX credential_by_organisation ON credential (organisation_id, created_at);

CREATE TABLE case_record (
  case_id identifier PRIMARY KEY,
  organisation_id identifier NOT NULL REFERENCES organisation,
  label text,
  metadata text NOT NULL,
  locked_at instant,
  created_at instant NOT NULL,
  updated_at instant NOT NULL
);

-- The key is the order in which a case lists its files, so that reading one is a single range scan.
CREATE TABLE case_file (
  case_id identifier NOT NULL REFERENCES case_record,
  uploaded_at instant NOT NULL,
  file_id identifier NOT NULL UNIQUE,
  label text NOT NULL,
  thumbnail_url text NOT NULL,
  mime_type text NOT NULL,
  analysis_status text NOT NULL,
  analysis_completed_at instant,
  PRIMARY KEY (case_id, uploaded_at, file_id)
);

CREATE TABLE cached_analysis_result (
  organisation_id identifier NOT NULL REFERENCES organisation,
  content_sha256 bytea NOT NULL CHECK (length(content_sha256) = 32),
  result text NOT NULL,
  created_at instant NOT NULL,
  PRIMARY KEY (organisation_id, content_sha256)
);

CREATE TABLE audit_entry (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id identifier NOT NULL UNIQUE,
  occurred_at instant NOT NULL,
  organisation_id identifier NOT NULL REFERENCES organisation,
  credential_id identifier NOT NULL REFERENCES credential,
  action text NOT NULL,
  before text NOT NULL,
  after text NOT NULL,
  request_id text NOT NULL,
  cleared integer NOT NULL
);
CREATE INDEX audit_entry_by_organisation ON audit_entry (organisation_id, sequence);

CREATE FUNCTION refuse_change_of_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are append-only';
END $$;
CREATE TRIGGER audit_entry_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_entry();
`;
