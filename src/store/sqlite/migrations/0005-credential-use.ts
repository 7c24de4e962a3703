export const credentialUse = `
-- When each credential was used last. It stands beside the credential, so that noting a use changes no row that others hold.
CREATE TABLE credential_use (
  credential_id TEXT PRIMARY KEY REFERENCES credential,
  last_used_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX credential_by_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
`;
