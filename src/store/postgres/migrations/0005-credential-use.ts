export const credentialUse = `
-- When each credential was used last. It stands beside the credential, which a write holds until it ends: noting a use
-- waits for no request, and no request for that.
CREATE TABLE credential_use (
  credential_id identifier PRIMARY KEY REFERENCES credential,
  last_used_at instant NOT NULL
);

CREATE INDEX credential_by_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
`;
