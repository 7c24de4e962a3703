export const caseRevision = `
-- Names the state that a case and its files are in. Each change gives a new random name, whoever makes it, so that no
-- name comes back: not for a case that is made anew, and not when lost changes are followed by others. It stands beside
-- the record, so that a change of a file does not write the case's metadata again.
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
-- A file that REPLACE removes, perhaps from another case, is told to no other trigger.
CREATE TRIGGER replaced_case_file_renews_revision BEFORE INSERT ON case_file
WHEN EXISTS (SELECT 1 FROM case_file WHERE file_id = NEW.file_id)
BEGIN
  UPDATE case_revision SET revision = hex(randomblob(8))
  WHERE case_id = (SELECT case_id FROM case_file WHERE file_id = NEW.file_id);
END;
`;
