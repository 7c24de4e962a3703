export const evidenceRechecks = `
-- The responses of registries to rechecks, as JSON; the result itself never changes.
ALTER TABLE analysis ADD COLUMN later_evidence TEXT;

-- The files to recheck, and when they are due. While a worker rechecks a file, due_at is the end of its lease.
CREATE TABLE evidence_recheck (
  file_id TEXT PRIMARY KEY REFERENCES analysis (file_id),
  organisation_id TEXT NOT NULL REFERENCES organisation,
  due_at TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  lease_token TEXT
) STRICT;
CREATE INDEX evidence_recheck_by_time ON evidence_recheck (due_at);
CREATE INDEX evidence_recheck_in_turn ON evidence_recheck (organisation_id, due_at, file_id);
`;
