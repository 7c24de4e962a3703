import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openRegistries } from '../../../src/analysis/registries/open.ts';
import { readConfig } from '../../../src/runtime/config.ts';
import type { CompanyRegisterStore } from '../../../src/store/company-register-store.ts';

const asked = { VAT_REGISTRY: 'http', VAT_REGISTRY_CLIENT_ID: 'client', VAT_REGISTRY_CLIENT_SECRET: 's3cret' };

describe('the choice of the registry of VAT numbers', () => {
  test('is none if nothing is said', () => {
    expect(readConfig({}).vatRegistry).toEqual({ kind: 'none' });
  });

  test('is the API in production, or at another address, as that of the sandbox', () => {
    const production = new URL('https://api.service.hmrc.gov.uk');
    const chosen = { kind: 'http', url: production, clientId: 'client', clientSecret: 's3cret' };
    expect(readConfig(asked).vatRegistry).toEqual(chosen);
    const sandbox = 'https://test-api.service.hmrc.gov.uk';
    expect(readConfig({ ...asked, VAT_REGISTRY_URL: sandbox }).vatRegistry).toMatchObject({ url: new URL(sandbox) });
  });

  test.each([
    [
      { ...asked, VAT_REGISTRY_CLIENT_ID: undefined },
      /^VAT_REGISTRY_CLIENT_ID is missing: VAT_REGISTRY=http needs it$/,
    ],
    [
      { ...asked, VAT_REGISTRY_CLIENT_SECRET: undefined },
      /^VAT_REGISTRY_CLIENT_SECRET is missing: .* or VAT_REGISTRY_CLIENT_SECRET_FILE$/,
    ],
    [{ ...asked, VAT_REGISTRY: 'other' }, /^VAT_REGISTRY must be one of none, http, not "other"$/],
    [{ ...asked, VAT_REGISTRY_URL: 'http://a.example' }, /^VAT_REGISTRY_URL must be a URL of https/],
    [{ ...asked, VAT_REGISTRY_CLIENT_SECRET: 'a b' }, /^VAT_REGISTRY_CLIENT_SECRET must be visible ASCII characters$/],
    ...['VAT_REGISTRY_URL', 'VAT_REGISTRY_CLIENT_ID', 'VAT_REGISTRY_CLIENT_SECRET'].map(
      (name) => [{ [name]: 'https://a.example' }, new RegExp(`^${name} contradicts VAT_REGISTRY=none: `)] as const,
    ),
    [{ VAT_REGISTRY_CLIENT_SECRET_FILE: import.meta.filename }, /^VAT_REGISTRY_CLIENT_SECRET/],
  ])('names what is wrong with %o', (environment: NodeJS.ProcessEnv, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });

  test('is named beside every other mistake', () => {
    const environment = { COMPANY_REGISTRY_KEY: 'key', VAT_REGISTRY_CLIENT_ID: 'client', PORT: 'abc' };
    expect(() => readConfig(environment)).toThrow(
      /PORT.*\nCOMPANY_REGISTRY_KEY contradicts.*\nVAT_REGISTRY_CLIENT_ID contradicts/,
    );
  });

  test('is what is opened', async () => {
    const opened = await openRegistries(readConfig(asked), {} as CompanyRegisterStore, pino({ level: 'silent' }));
    expect(opened.at(-1)).toMatchObject({
      name: 'UK VAT register (api.service.hmrc.gov.uk)',
      kinds: ['uk-vat-number'],
    });
  });
});
