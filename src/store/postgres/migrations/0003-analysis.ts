export const analysis = `
-- The number of changes of the setting. It shows whether the setting changed during an analysis, even back and forth.
ALTER TABLE organisation ADD COLUMN verification_changes integer NOT NULL DEFAULT 0;

CREATE TABLE analysis (
  file_id identifier PRIMARY KEY REFERENCES case_file (file_id),
  organisation_id identifier NOT NULL REFERENCES organisation,
  uploaded_at instant NOT NULL,
  content_sha256 bytea NOT NULL CHECK (length(content_sha256) = 32),
  attempts integer NOT NULL DEFAULT 0,
  started_at instant,
  verification_enabled boolean,
  verification_changes integer,
  lease_token identifier,
  lease_expires_at instant,
  from_cache boolean,
  result text,
  failure text,
  CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
  CHECK (result IS NULL OR failure IS NULL)
);
-- Unfinished analyses, in the order in which they are taken.
CREATE INDEX analysis_to_take ON analysis (uploaded_at, file_id) WHERE result IS NULL AND failure IS NULL;

-- Actions of the service itself have no credential and no request.
ALTER TABLE audit_entry
  ALTER COLUMN credential_id DROP NOT NULL,
  ALTER COLUMN request_id DROP NOT NULL,
  ADD CHECK ((credential_id IS NULL) = (request_id IS NULL));
`;
