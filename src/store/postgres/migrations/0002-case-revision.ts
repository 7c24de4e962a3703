export const caseRevision = `
-- The revision identifies the state of a case and its files. Each change by any program sets a new random revision, so
-- that none is reused: neither by a case that is deleted and created again, nor after a failover that loses changes. It
-- is in a table of its own, whose rows are locked after the record and after the files.
CREATE TABLE case_revision (
  case_id identifier PRIMARY KEY REFERENCES case_record ON UPDATE CASCADE ON DELETE CASCADE,
  revision uuid NOT NULL
);
INSERT INTO case_revision SELECT case_id, gen_random_uuid() FROM case_record;

CREATE FUNCTION begin_case_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO case_revision SELECT case_id, gen_random_uuid() FROM changed;
  RETURN NULL;
END $$;
CREATE TRIGGER case_record_begins_revision AFTER INSERT ON case_record
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION begin_case_revision();

-- A session keeps a plan that it made while the table was small, which would scan the whole table when it is large.
CREATE FUNCTION renew_case_revision() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  UPDATE case_revision SET revision = gen_random_uuid() WHERE case_id IN (SELECT case_id FROM changed);
  RETURN NULL;
END $$;
CREATE TRIGGER changed_case_record_renews_revision AFTER UPDATE ON case_record
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
CREATE TRIGGER added_case_file_renews_revision AFTER INSERT ON case_file
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
CREATE TRIGGER changed_case_file_renews_revision AFTER UPDATE ON case_file
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
CREATE TRIGGER removed_case_file_renews_revision AFTER DELETE ON case_file
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
-- A file that moves to another case changes both.
CREATE TRIGGER moved_case_file_renews_revision AFTER UPDATE ON case_file
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();

CREATE FUNCTION renew_every_case_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE case_revision SET revision = gen_random_uuid();
  RETURN NULL;
END $$;
CREATE TRIGGER emptied_case_file_renews_revisions AFTER TRUNCATE ON case_file
FOR EACH STATEMENT EXECUTE FUNCTION renew_every_case_revision();
`;
