export const corporationRegister = `
-- Several registers, each with its own imports.
ALTER TABLE company_register ADD COLUMN register text NOT NULL DEFAULT 'uk-companies'
  CHECK (register IN ('uk-companies', 'ca-corporations'));
DROP INDEX company_register_by_state;
CREATE UNIQUE INDEX company_register_by_state ON company_register (register, state) WHERE state <> 'outdated';

ALTER TABLE registry_company ADD COLUMN other_name text, ADD COLUMN business_number identifier;
CREATE INDEX registry_company_by_business_number ON registry_company (generation, business_number)
  WHERE business_number IS NOT NULL;
`;
