export const corporationRegister = `
-- Several registers, each with its own imports.
ALTER TABLE company_register ADD COLUMN register TEXT NOT NULL DEFAULT 'uk-companies'
  CHECK (register IN ('uk-companies', 'ca-corporations'));
DROP INDEX company_register_by_state;
CREATE UNIQUE INDEX company_register_by_state ON company_register (register, state) WHERE state <> 'outdated';

ALTER TABLE registry_company ADD COLUMN other_name TEXT;
ALTER TABLE registry_company ADD COLUMN business_number TEXT;
-- A separate table, filled in its own order, because each company would change a different page of an index.
CREATE TABLE registry_business_number (
  generation INTEGER NOT NULL,
  business_number TEXT NOT NULL,
  company_number TEXT NOT NULL,
  PRIMARY KEY (generation, business_number, company_number)
) STRICT, WITHOUT ROWID;
`;
