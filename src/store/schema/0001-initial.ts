import type { Access } from '../statements.ts';

/** Written for PostgreSQL, but that the rows of tables WITHOUT ROWID are stored in the order of their key. */
const tables = `
CREATE TABLE organisation (
  organisation_id identifier PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at instant NOT NULL,
  verification_enabled boolean NOT NULL DEFAULT false,
  -- The number of changes of the setting. It shows whether it changed during an analysis, even back and forth.
  verification_changes integer NOT NULL DEFAULT 0
);

CREATE TABLE organisation_feature (
  organisation_id identifier NOT NULL REFERENCES organisation,
  feature identifier NOT NULL,
  PRIMARY KEY (organisation_id, feature)
) WITHOUT ROWID;

CREATE TABLE role (role identifier PRIMARY KEY) WITHOUT ROWID;

CREATE TABLE role_permission (
  role identifier NOT NULL REFERENCES role,
  permission identifier NOT NULL,
  PRIMARY KEY (role, permission)
) WITHOUT ROWID;

INSERT INTO role VALUES ('owner'), ('member'), ('viewer');
INSERT INTO role_permission VALUES
  ('owner', 'organisation_settings:read'),
  ('owner', 'organisation_settings:write'),
  ('member', 'organisation_settings:read');

CREATE TABLE credential (
  credential_id identifier PRIMARY KEY,
  organisation_id identifier NOT NULL REFERENCES organisation,
  kind text NOT NULL CHECK (kind IN ('api-key', 'access-token')),
  role identifier REFERENCES role CHECK ((kind = 'api-key') = (role IS NOT NULL)),
  secret_sha256 bytea NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
  created_at instant NOT NULL,
  expires_at instant,
  revoked_at instant
);
CREATE INDEX credential_by_organisation ON credential (organisation_id, created_at);
CREATE INDEX credential_by_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- In a table of its own, so that recording a use does not change the credential, and waits for no write: writes lock it.
CREATE TABLE credential_use (
  credential_id identifier PRIMARY KEY REFERENCES credential,
  last_used_at instant NOT NULL
) WITHOUT ROWID;

CREATE TABLE case_record (
  case_id identifier PRIMARY KEY,
  organisation_id identifier NOT NULL REFERENCES organisation,
  label text,
  metadata text NOT NULL,
  locked_at instant,
  created_at instant NOT NULL,
  updated_at instant NOT NULL
) WITHOUT ROWID;

-- The key is the order in which a case lists its files, so that reading one is a single range scan.
CREATE TABLE case_file (
  case_id identifier NOT NULL REFERENCES case_record,
  uploaded_at instant NOT NULL,
  file_id identifier NOT NULL UNIQUE,
  label text NOT NULL,
  thumbnail_url text NOT NULL,
  mime_type text NOT NULL,
  analysis_status text NOT NULL,
  analysis_completed_at instant,
  PRIMARY KEY (case_id, uploaded_at, file_id)
) WITHOUT ROWID;

-- The revision identifies the state of a case and its files. Each change by any program sets a new random revision, so
-- that none is reused: neither by a case that is deleted and created again, nor after lost changes. It is in a table of
-- its own, so that a change of a file does not rewrite the case's metadata.
CREATE TABLE case_revision (
  case_id identifier PRIMARY KEY REFERENCES case_record ON UPDATE CASCADE ON DELETE CASCADE,
  revision uuid NOT NULL
) WITHOUT ROWID;

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
  -- The responses of registries to rechecks, as JSON; the result itself never changes.
  later_evidence text,
  CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
  CHECK (result IS NULL OR failure IS NULL)
);
-- Unfinished analyses, in the order in which they are taken: organisations take turns.
CREATE INDEX analysis_to_take ON analysis (organisation_id, uploaded_at, file_id)
  WHERE result IS NULL AND failure IS NULL;
-- Used before content is removed as a leftover, to check that no file has it.
CREATE INDEX analysis_by_content ON analysis (content_sha256);

-- The files to recheck, and when they are due. While a worker rechecks a file, due_at is the end of its lease.
CREATE TABLE evidence_recheck (
  file_id identifier PRIMARY KEY REFERENCES analysis (file_id),
  organisation_id identifier NOT NULL REFERENCES organisation,
  due_at instant NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  lease_token identifier
);
CREATE INDEX evidence_recheck_by_time ON evidence_recheck (due_at);
CREATE INDEX evidence_recheck_in_turn ON evidence_recheck (organisation_id, due_at, file_id);

CREATE TABLE cached_analysis_result (
  organisation_id identifier NOT NULL REFERENCES organisation,
  content_sha256 bytea NOT NULL CHECK (length(content_sha256) = 32),
  result text NOT NULL,
  created_at instant NOT NULL,
  PRIMARY KEY (organisation_id, content_sha256)
) WITHOUT ROWID;

-- Append-only. Actions of the service itself have no credential and no request.
CREATE TABLE audit_entry (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id identifier NOT NULL UNIQUE,
  occurred_at instant NOT NULL,
  organisation_id identifier NOT NULL REFERENCES organisation,
  credential_id identifier REFERENCES credential,
  action text NOT NULL,
  before text NOT NULL,
  after text NOT NULL,
  request_id text,
  cleared integer NOT NULL,
  CHECK ((credential_id IS NULL) = (request_id IS NULL))
);
CREATE INDEX audit_entry_by_organisation ON audit_entry (organisation_id, sequence);

-- One row for each import with stored companies. Of each register, at most one import is in progress, and one current.
CREATE TABLE company_register (
  generation integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  register text NOT NULL CHECK (register IN ('uk-companies', 'ca-corporations')),
  state text NOT NULL CHECK (state IN ('importing', 'current', 'outdated')),
  source text,
  companies integer,
  imported_at instant
);
CREATE UNIQUE INDEX company_register_by_state ON company_register (register, state) WHERE state <> 'outdated';

CREATE TABLE registry_company (
  generation integer NOT NULL,
  company_number identifier NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  other_name text,
  PRIMARY KEY (generation, company_number)
) WITHOUT ROWID;

-- A separate table, filled in its own order, because each company would change a different page of an index.
CREATE TABLE registry_business_number (
  generation integer NOT NULL,
  business_number identifier NOT NULL,
  company_number identifier NOT NULL,
  PRIMARY KEY (generation, business_number, company_number)
) WITHOUT ROWID;
`;

/** SQLite's words for the same. It compares and sorts texts by bytes. */
const inSqlite: readonly [RegExp, string][] = [
  [/\b(identifier|instant|uuid)\b/g, 'TEXT'],
  [/\bbytea\b/g, 'BLOB'],
  [/\w+ GENERATED ALWAYS AS IDENTITY PRIMARY KEY/g, 'INTEGER PRIMARY KEY AUTOINCREMENT'],
  [/(\w+) boolean/g, '$1 INTEGER CHECK ($1 IN (0, 1))'],
  [/\) WITHOUT ROWID;/g, ') STRICT, WITHOUT ROWID;'],
  [/^\);/gm, ') STRICT;'],
];

export function initial(engine: Access['engine']): string {
  if (engine === 'postgres') return postgresTypes + tables.replaceAll(' WITHOUT ROWID', '') + postgresRoutines;
  return inSqlite.reduce((schema, [word, own]) => schema.replaceAll(word, own), tables) + sqliteTriggers;
}

const sqliteTriggers = `
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

CREATE TRIGGER audit_entry_is_not_changed BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entry_is_not_deleted BEFORE DELETE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entry_is_not_replaced BEFORE INSERT ON audit_entry
WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id OR sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
`;

/** What only PostgreSQL has: domains of types, and triggers and functions in PL/pgSQL. */

const postgresTypes = `
-- Compared and sorted by bytes, regardless of the database's collation.
CREATE DOMAIN identifier AS text COLLATE "C";
-- A time in the format of the API and of the embedded store: UTC with milliseconds, which sorts as text.
CREATE DOMAIN instant AS text COLLATE "C" CHECK (VALUE ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$');
`;

const postgresRoutines = `
CREATE FUNCTION refuse_change_of_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are append-only';
END $$;
CREATE TRIGGER audit_entry_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_entry();

CREATE FUNCTION renew_case_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO case_revision SELECT case_id, gen_random_uuid() FROM changed GROUP BY case_id
    ON CONFLICT (case_id) DO UPDATE SET revision = EXCLUDED.revision;
  RETURN NULL;
END $$;
CREATE TRIGGER case_record_begins_revision AFTER INSERT ON case_record
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION renew_case_revision();
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

-- A caller's rights as JSON; null if there is no such organisation. The rows are locked until the transaction ends:
-- a transaction that withdraws a right waits for this one, or this one waits for it.
CREATE FUNCTION hold_rights(credential_id identifier, organisation_id identifier) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (
    SELECT json_build_object(
      'credential', c.credential,
      'permissions', coalesce(c.permissions, '{}'),
      'features', ARRAY(
        SELECT f.feature FROM organisation_feature f WHERE f.organisation_id = $2 ORDER BY f.feature FOR KEY SHARE))
    FROM organisation o LEFT JOIN LATERAL (
      SELECT
        json_build_object('kind', c.kind, 'expires_at', c.expires_at, 'revoked_at', c.revoked_at) AS credential,
        ARRAY(SELECT p.permission FROM role_permission p WHERE p.role = c.role ORDER BY p.permission FOR KEY SHARE)
          AS permissions
      FROM credential c WHERE c.credential_id = $1 AND c.organisation_id = $2 FOR SHARE
    ) c ON true
    WHERE o.organisation_id = $2);
END $$;

-- Saves the settings of updates, in their order, and returns a row for each. An update reads and locks the rights of its
-- callers. If they are as expected, it saves the setting, clears the cached results if the setting changed, and writes the
-- audit entry. Otherwise it returns the rights in 'held' and changes nothing. 'enabled_before' is null if there is no such
-- organisation.
CREATE FUNCTION update_verification_settings(updates json)
RETURNS TABLE (held text[], enabled_before boolean, cleared_results integer) LANGUAGE plpgsql AS $$
DECLARE
  u record;
BEGIN
  FOR u IN SELECT * FROM json_to_recordset(updates) AS given (
    credential_ids identifier[], organisation_ids identifier[], expected text[], enabled boolean, organisation_id identifier,
    id identifier, occurred_at instant, credential_id identifier, action text, after text, request_id text)
  LOOP
    held := '{}';
    enabled_before := NULL;
    cleared_results := 0;
    FOR n IN 1 .. cardinality(u.credential_ids) LOOP
      held[n] := hold_rights(u.credential_ids[n], u.organisation_ids[n]);
    END LOOP;
    IF held IS NOT DISTINCT FROM u.expected THEN
      held := NULL;
      -- Updates of one organisation wait for one another here, and a cached result for the update: what is saved before
      -- is cleared, what is saved after is kept.
      SELECT verification_enabled INTO enabled_before FROM organisation o
        WHERE o.organisation_id = u.organisation_id FOR UPDATE;
      IF enabled_before <> u.enabled THEN
        UPDATE organisation o SET verification_enabled = u.enabled, verification_changes = verification_changes + 1
          WHERE o.organisation_id = u.organisation_id;
        DELETE FROM cached_analysis_result c WHERE c.organisation_id = u.organisation_id;
        GET DIAGNOSTICS cleared_results = ROW_COUNT;
      END IF;
      INSERT INTO audit_entry
        (id, occurred_at, organisation_id, credential_id, action, before, after, request_id, cleared)
      SELECT u.id, u.occurred_at, u.organisation_id, u.credential_id, u.action, '{"enabled":' || enabled_before || '}',
        u.after, u.request_id, cleared_results WHERE enabled_before IS NOT NULL;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
`;
