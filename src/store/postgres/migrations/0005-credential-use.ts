export const credentialUse = `
-- The last use of each credential. It is in a table of its own, because writes lock the credential until they end:
-- recording a use and a write never wait for each other.
CREATE TABLE credential_use (
  credential_id identifier PRIMARY KEY REFERENCES credential,
  last_used_at instant NOT NULL
);

CREATE INDEX credential_by_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
`;
