export const companyRegister = `
-- One row for each import whose companies are held; at most one is under way, and one is read.
CREATE TABLE company_register (
  generation integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('importing', 'current', 'outdated')),
  source text,
  companies integer,
  imported_at instant
);
CREATE UNIQUE INDEX company_register_by_state ON company_register (state) WHERE state <> 'outdated';

-- Each import makes a partition of its own, which is dropped at once where deleting its rows would take as long as adding
-- them did.
CREATE TABLE registry_company (
  generation integer NOT NULL,
  company_number identifier NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  PRIMARY KEY (generation, company_number)
) PARTITION BY LIST (generation);
`;
