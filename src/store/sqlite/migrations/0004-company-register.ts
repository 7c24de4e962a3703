export const companyRegister = `
-- One row for each import with stored companies. At most one import is in progress, and at most one is current.
CREATE TABLE company_register (
  generation INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL CHECK (state IN ('importing', 'current', 'outdated')),
  source TEXT,
  companies INTEGER,
  imported_at TEXT
) STRICT;
CREATE UNIQUE INDEX company_register_by_state ON company_register (state) WHERE state <> 'outdated';

CREATE TABLE registry_company (
  generation INTEGER NOT NULL,
  company_number TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (generation, company_number)
) STRICT, WITHOUT ROWID;
`;
