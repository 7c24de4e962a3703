export const companyRegister = `
-- One row for each import with stored companies. At most one import is in progress, and at most one is current.
CREATE TABLE company_register (
  generation integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('importing', 'current', 'outdated')),
  source text,
  companies integer,
  imported_at instant
);
CREATE UNIQUE INDEX company_register_by_state ON company_register (state) WHERE state <> 'outdated';

-- Each import has its own partition: dropping a partition is immediate, while deleting its rows would take as long as
-- inserting them.
CREATE TABLE registry_company (
  generation integer NOT NULL,
  company_number identifier NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  PRIMARY KEY (generation, company_number)
) PARTITION BY LIST (generation);
`;
