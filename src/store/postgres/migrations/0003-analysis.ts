export const analysis = `
-- How often the setting was changed, so that an analysis can tell whether it was while it ran, even there and back.
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
-- Those that have not ended, in the order in which they are taken.
CREATE INDEX analysis_to_take ON analysis (uploaded_at, file_id) WHERE result IS NULL AND failure IS NULL;

-- What the service does by itself has no credential and no request.
ALTER TABLE audit_entry
  ALTER COLUMN credential_id DROP NOT NULL,
  ALTER COLUMN request_id DROP NOT NULL,
  ADD CHECK ((credential_id IS NULL) = (request_id IS NULL));
`;
