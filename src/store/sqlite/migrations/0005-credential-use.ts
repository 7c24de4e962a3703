export const credentialUse = `
-- The last use of each credential. It is in a table of its own, so that recording a use does not change the credential.
CREATE TABLE credential_use (
  credential_id TEXT PRIMARY KEY REFERENCES credential,
  last_used_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX credential_by_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
`;
