export const caseRevision = `
-- The revision identifies the state of a case and its files. Each change by any program sets a new random revision, so
-- that none is reused: neither by a case that is deleted and created again, nor after lost changes. It is in a table of
-- its own, so that a change of a file does not rewrite the case's metadata.
CREATE TABLE case_revision (
  case_id TEXT PRIMARY KEY REFERENCES case_record ON UPDATE CASCADE ON DELETE CASCADE,
  revision TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO case_revision SELECT case_id, hex(randomblob(8)) FROM case_record;

CREATE TRIGGER case_record_begins_revision AFTER INSERT ON case_record
BEGIN INSERT OR REPLACE INTO case_revision VALUES (NEW.case_id, hex(randomblob(8))); END;
CREATE TRIGGER case_record_renews_revision AFTER UPDATE ON case_record
BEGIN UPDATE case_revision SET revision = hex(randomblob(8)) WHERE case_id = NEW.case_id; END;

CREATE TRIGGER added_case_file_renews_revision AFTER INSERT ON case_file
BEGIN UPDATE case_revision SET revision = hex(randomblob(8)) WHERE case_id = NEW.case_id; END;
CREATE TRIGGER changed_case_file_renews_revision AFTER UPDATE ON case_file
BEGIN UPDATE case_revision SET revision = hex(randomblob(8)) WHERE case_id IN (OLD.case_id, NEW.case_id); END;
CREATE TRIGGER removed_case_file_renews_revision AFTER DELETE ON case_file
BEGIN UPDATE case_revision SET revision = hex(randomblob(8)) WHERE case_id = OLD.case_id; END;
-- No other trigger fires for a file that REPLACE removes, possibly from another case.
CREATE TRIGGER replaced_case_file_renews_revision BEFORE INSERT ON case_file
WHEN EXISTS (SELECT 1 FROM case_file WHERE file_id = NEW.file_id)
BEGIN
  UPDATE case_revision SET revision = hex(randomblob(8))
  WHERE case_id = (SELECT case_id FROM case_file WHERE file_id = NEW.file_id);
END;
`;
