export const evidenceRechecks = `
-- What registries answered when they were asked again, as JSON; the result itself is never changed.
ALTER TABLE analysis ADD COLUMN later_evidence TEXT;

-- The files about which registries are asked again, and when. While a worker does so, that is when its lease runs out.
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
