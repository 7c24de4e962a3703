import { expect, test } from '@jest/globals';
import { readConfig } from '../../../src/runtime/config.ts';

const companies = { COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: 'b4e52f0a-1c7d' };
const vat = { VAT_REGISTRY: 'http', VAT_REGISTRY_CLIENT_ID: 'client', VAT_REGISTRY_CLIENT_SECRET: 's3cret' };
const companiesUrl = 'https://api.company-information.service.gov.uk';
const vatUrl = 'https://api.service.hmrc.gov.uk';
const sandbox = 'https://test-api.service.hmrc.gov.uk';
const local = 'http://127.0.0.1:3000/proxy';

test.each<[NodeJS.ProcessEnv, object]>([
  [{ COMPANY_REGISTRY: 'local' }, { companyRegistry: { kind: 'local' } }],
  [companies, { companyRegistry: { kind: 'http', url: new URL(companiesUrl), apiKey: 'b4e52f0a-1c7d' } }],
  [{ ...companies, COMPANY_REGISTRY_URL: local }, { companyRegistry: { url: new URL(local) } }],
  [vat, { vatRegistry: { kind: 'http', url: new URL(vatUrl), clientId: 'client', clientSecret: 's3cret' } }],
  [{ ...vat, VAT_REGISTRY_URL: sandbox }, { vatRegistry: { url: new URL(sandbox) } }],
])('the choice of a registry is read from %o', (environment, chosen) => {
  expect(readConfig(environment)).toMatchObject(chosen);
});

test.each<[NodeJS.ProcessEnv, RegExp]>([
  [{ COMPANY_REGISTRY: 'http' }, /^COMPANY_REGISTRY_KEY is missing: .* or COMPANY_REGISTRY_KEY_FILE$/],
  [{ COMPANY_REGISTRY: 'other' }, /^COMPANY_REGISTRY must be one of local, http, not "other"$/],
  [{ COMPANY_REGISTRY_KEY: 'key' }, /^COMPANY_REGISTRY_KEY contradicts COMPANY_REGISTRY=local: /],
  [{ COMPANY_REGISTRY_URL: companiesUrl }, /^COMPANY_REGISTRY_URL contradicts COMPANY_REGISTRY=local: /],
  [{ ...companies, COMPANY_REGISTRY_URL: 'http://a.example' }, /^COMPANY_REGISTRY_URL must be a URL of https/],
  [{ ...companies, COMPANY_REGISTRY_KEY: 'a b' }, /^COMPANY_REGISTRY_KEY must be visible ASCII .* without a colon$/],
  [{ ...companies, COMPANY_REGISTRY_KEY: 'user:word' }, /without a colon$/],
  [{ ...vat, VAT_REGISTRY_CLIENT_ID: undefined }, /^VAT_REGISTRY_CLIENT_ID is missing: VAT_REGISTRY=http needs it$/],
  [{ ...vat, VAT_REGISTRY_CLIENT_SECRET: undefined }, /^VAT_REGISTRY_CLIENT_SECRET is missing: .* or .*SECRET_FILE$/],
  [{ ...vat, VAT_REGISTRY: 'other' }, /^VAT_REGISTRY must be one of none, http, not "other"$/],
  [{ ...vat, VAT_REGISTRY_URL: 'http://a.example' }, /^VAT_REGISTRY_URL must be a URL of https/],
  [{ ...vat, VAT_REGISTRY_CLIENT_SECRET: 'a b' }, /^VAT_REGISTRY_CLIENT_SECRET must be visible ASCII characters$/],
  [{ VAT_REGISTRY_URL: vatUrl }, /^VAT_REGISTRY_URL contradicts VAT_REGISTRY=none: /],
  [{ VAT_REGISTRY_CLIENT_ID: 'client' }, /^VAT_REGISTRY_CLIENT_ID contradicts VAT_REGISTRY=none: /],
  [{ VAT_REGISTRY_CLIENT_SECRET: 's3cret' }, /^VAT_REGISTRY_CLIENT_SECRET contradicts VAT_REGISTRY=none: /],
  [{ VAT_REGISTRY_CLIENT_SECRET_FILE: import.meta.filename }, /^VAT_REGISTRY_CLIENT_SECRET/],
])('the choice of a registry is refused with all that is wrong with %o', (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});
