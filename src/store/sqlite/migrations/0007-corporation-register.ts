export const corporationRegister = `
-- Several registers, each with imports of its own.
ALTER TABLE company_register ADD COLUMN register TEXT NOT NULL DEFAULT 'uk-companies'
  CHECK (register IN ('uk-companies', 'ca-corporations'));
DROP INDEX company_register_by_state;
CREATE UNIQUE INDEX company_register_by_state ON company_register (register, state) WHERE state <> 'outdated';

ALTER TABLE registry_company ADD COLUMN other_name TEXT;
-- A table of its own, written in its own order, because an index would be changed at another place for each company.
CREATE TABLE registry_business_number (
  generation INTEGER NOT NULL,
  business_number TEXT NOT NULL,
  company_number TEXT NOT NULL,
  PRIMARY KEY (generation, business_number, company_number)
) STRICT, WITHOUT ROWID;
`;
