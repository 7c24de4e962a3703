import type { Access } from '../statements.ts';
import { postgresRoutines, postgresTypes } from './postgres-routines.ts';

/** How each engine words what is the same. */
const words = {
  sqlite: {
    // Compared and sorted by bytes.
    identifier: 'TEXT',
    text: 'TEXT',
    instant: 'TEXT',
    bytes: 'BLOB',
    sequence: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    rows: 'STRICT',
    /** Rows that are stored in the order of their key. */
    keyed: 'STRICT, WITHOUT ROWID',
    boolean: (name: string, rest = '') => `${name} INTEGER ${rest} CHECK (${name} IN (0, 1))`,
  },
  postgres: {
    identifier: 'identifier',
    text: 'text',
    instant: 'instant',
    bytes: 'bytea',
    sequence: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    rows: '',
    keyed: '',
    boolean: (name: string, rest = '') => `${name} boolean ${rest}`,
  },
};

export function initial(engine: Access['engine']): string {
  const { identifier, text, instant, bytes, sequence, rows, keyed, boolean } = words[engine];
  const onSqlite = engine === 'sqlite';
  const no = onSqlite ? '0' : 'false';
  return `
${onSqlite ? '' : postgresTypes}
CREATE TABLE organisation (
  organisation_id ${identifier} PRIMARY KEY,
  name ${text} NOT NULL UNIQUE,
  created_at ${instant} NOT NULL,
  ${boolean('verification_enabled', `NOT NULL DEFAULT ${no}`)},
  -- The number of changes of the setting. It shows whether it changed during an analysis, even back and forth.
  verification_changes INTEGER NOT NULL DEFAULT 0
) ${rows};

CREATE TABLE organisation_feature (
  organisation_id ${identifier} NOT NULL REFERENCES organisation,
  feature ${identifier} NOT NULL,
  PRIMARY KEY (organisation_id, feature)
) ${keyed};

CREATE TABLE role (role ${identifier} PRIMARY KEY) ${keyed};

CREATE TABLE role_permission (
  role ${identifier} NOT NULL REFERENCES role,
  permission ${identifier} NOT NULL,
  PRIMARY KEY (role, permission)
) ${keyed};

INSERT INTO role VALUES ('owner'), ('member'), ('viewer');
INSERT INTO role_permission VALUES
  ('owner', 'organisation_settings:read'),
  ('owner', 'organisation_settings:write'),
  ('member', 'organisation_settings:read');

CREATE TABLE credential (
  credential_id ${identifier} PRIMARY KEY,
  organisation_id ${identifier} NOT NULL REFERENCES organisation,
  kind ${text} NOT NULL CHECK (kind IN ('api-key', 'access-token')),
  role ${identifier} REFERENCES role CHECK ((kind = 'api-key') = (role IS NOT NULL)),
  secret_sha256 ${bytes} NOT NULL UNIQUE CHECK (length(secret_sha256) = 32),
  created_at ${instant} NOT NULL,
  expires_at ${instant},
  revoked_at ${instant}
) ${rows};
CREATE INDEX credential_by_organisation ON credential (organisation_id, created_at);
CREATE INDEX credential_by_expiry ON credential (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- In a table of its own, so that recording a use does not change the credential, and waits for no write: writes lock it.
CREATE TABLE credential_use (
  credential_id ${identifier} PRIMARY KEY REFERENCES credential,
  last_used_at ${instant} NOT NULL
) ${keyed};

CREATE TABLE case_record (
  case_id ${identifier} PRIMARY KEY,
  organisation_id ${identifier} NOT NULL REFERENCES organisation,
  label ${text},
  metadata ${text} NOT NULL,
  locked_at ${instant},
  created_at ${instant} NOT NULL,
  updated_at ${instant} NOT NULL
) ${keyed};

-- The key is the order in which a case lists its files, so that reading one is a single range scan.
CREATE TABLE case_file (
  case_id ${identifier} NOT NULL REFERENCES case_record,
  uploaded_at ${instant} NOT NULL,
  file_id ${identifier} NOT NULL UNIQUE,
  label ${text} NOT NULL,
  thumbnail_url ${text} NOT NULL,
  mime_type ${text} NOT NULL,
  analysis_status ${text} NOT NULL,
  analysis_completed_at ${instant},
  PRIMARY KEY (case_id, uploaded_at, file_id)
) ${keyed};

-- The revision identifies the state of a case and its files. Each change by any program sets a new random revision, so
-- that none is reused: neither by a case that is deleted and created again, nor after lost changes. It is in a table of
-- its own, so that a change of a file does not rewrite the case's metadata.
CREATE TABLE case_revision (
  case_id ${identifier} PRIMARY KEY REFERENCES case_record ON UPDATE CASCADE ON DELETE CASCADE,
  revision ${onSqlite ? 'TEXT' : 'uuid'} NOT NULL
) ${keyed};

CREATE TABLE analysis (
  file_id ${identifier} PRIMARY KEY REFERENCES case_file (file_id),
  organisation_id ${identifier} NOT NULL REFERENCES organisation,
  uploaded_at ${instant} NOT NULL,
  content_sha256 ${bytes} NOT NULL CHECK (length(content_sha256) = 32),
  attempts INTEGER NOT NULL DEFAULT 0,
  started_at ${instant},
  ${boolean('verification_enabled')},
  verification_changes INTEGER,
  lease_token ${identifier},
  lease_expires_at ${instant},
  ${boolean('from_cache')},
  result ${text},
  failure ${text},
  -- The responses of registries to rechecks, as JSON; the result itself never changes.
  later_evidence ${text},
  CHECK ((lease_token IS NULL) = (lease_expires_at IS NULL)),
  CHECK (result IS NULL OR failure IS NULL)
) ${rows};
-- Unfinished analyses, in the order in which they are taken: organisations take turns.
CREATE INDEX analysis_to_take ON analysis (organisation_id, uploaded_at, file_id)
  WHERE result IS NULL AND failure IS NULL;
-- Used before content is removed as a leftover, to check that no file has it.
CREATE INDEX analysis_by_content ON analysis (content_sha256);

-- The files to recheck, and when they are due. While a worker rechecks a file, due_at is the end of its lease.
CREATE TABLE evidence_recheck (
  file_id ${identifier} PRIMARY KEY REFERENCES analysis (file_id),
  organisation_id ${identifier} NOT NULL REFERENCES organisation,
  due_at ${instant} NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  lease_token ${identifier}
) ${rows};
CREATE INDEX evidence_recheck_by_time ON evidence_recheck (due_at);
CREATE INDEX evidence_recheck_in_turn ON evidence_recheck (organisation_id, due_at, file_id);

CREATE TABLE cached_analysis_result (
  organisation_id ${identifier} NOT NULL REFERENCES organisation,
  content_sha256 ${bytes} NOT NULL CHECK (length(content_sha256) = 32),
  result ${text} NOT NULL,
  created_at ${instant} NOT NULL,
  PRIMARY KEY (organisation_id, content_sha256)
) ${keyed};

-- Append-only. Actions of the service itself have no credential and no request.
CREATE TABLE audit_entry (
  sequence ${sequence},
  id ${identifier} NOT NULL UNIQUE,
  occurred_at ${instant} NOT NULL,
  organisation_id ${identifier} NOT NULL REFERENCES organisation,
  credential_id ${identifier} REFERENCES credential,
  action ${text} NOT NULL,
  before ${text} NOT NULL,
  after ${text} NOT NULL,
  request_id ${text},
  cleared INTEGER NOT NULL,
  CHECK ((credential_id IS NULL) = (request_id IS NULL))
) ${rows};
CREATE INDEX audit_entry_by_organisation ON audit_entry (organisation_id, sequence);

-- One row for each import with stored companies. Of each register, at most one import is in progress, and one current.
CREATE TABLE company_register (
  generation ${onSqlite ? sequence : sequence.replace('bigint', 'integer')},
  register ${text} NOT NULL CHECK (register IN ('uk-companies', 'ca-corporations')),
  state ${text} NOT NULL CHECK (state IN ('importing', 'current', 'outdated')),
  source ${text},
  companies INTEGER,
  imported_at ${instant}
) ${rows};
CREATE UNIQUE INDEX company_register_by_state ON company_register (register, state) WHERE state <> 'outdated';

CREATE TABLE registry_company (
  generation INTEGER NOT NULL,
  company_number ${identifier} NOT NULL,
  name ${text} NOT NULL,
  status ${text} NOT NULL,
  other_name ${text},
  PRIMARY KEY (generation, company_number)
) ${keyed};

-- A separate table, filled in its own order, because each company would change a different page of an index.
CREATE TABLE registry_business_number (
  generation INTEGER NOT NULL,
  business_number ${identifier} NOT NULL,
  company_number ${identifier} NOT NULL,
  PRIMARY KEY (generation, business_number, company_number)
) ${keyed};
${onSqlite ? sqliteTriggers : postgresRoutines}`;
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
-- No other trigger fires for a file that REPLACE removes, possibly from another case.
CREATE TRIGGER replaced_case_file_renews_revision BEFORE INSERT ON case_file
WHEN EXISTS (SELECT 1 FROM case_file WHERE file_id = NEW.file_id)
BEGIN
  UPDATE case_revision SET revision = hex(randomblob(8))
  WHERE case_id = (SELECT case_id FROM case_file WHERE file_id = NEW.file_id);
END;

CREATE TRIGGER audit_entry_is_not_changed BEFORE UPDATE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entry_is_not_deleted BEFORE DELETE ON audit_entry
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
CREATE TRIGGER audit_entry_is_not_replaced BEFORE INSERT ON audit_entry
WHEN EXISTS (SELECT 1 FROM audit_entry WHERE id = NEW.id OR sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'audit entries are append-only'); END;
`;
