import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { readConfig } from '../../../src/runtime/config.ts';
import { openRegistries } from '../../../src/analysis/registries/open.ts';
import type { CompanyRegisterStore } from '../../../src/store/company-register-store.ts';

const key = 'b4e52f0a-1c7d-4f39-a6b8-0d93e1c75f24';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'document-analysis-registry-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function keyFile(content: string): Promise<string> {
  const path = join(folder, 'key');
  await writeFile(path, content);
  return path;
}

const chosen = (environment: NodeJS.ProcessEnv) => readConfig(environment).companyRegistry;

describe('the choice of the registry of companies', () => {
  test('is the imported register if nothing is said', () => {
    expect(chosen({})).toEqual({ kind: 'local' });
    expect(chosen({ COMPANY_REGISTRY: 'local' })).toEqual({ kind: 'local' });
  });

  test("is the UK register's public API with a key of the environment", () => {
    expect(chosen({ COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: key })).toEqual({
      kind: 'http',
      url: new URL('https://api.company-information.service.gov.uk'),
      apiKey: key,
    });
  });

  test.each([key, `${key}\n`, `${key}\r\n`])('reads the key from a file', async (content) => {
    const environment = {
      COMPANY_REGISTRY: 'http',
      COMPANY_REGISTRY_URL: 'http://127.0.0.1:3000/proxy',
      COMPANY_REGISTRY_KEY_FILE: await keyFile(content),
    };
    expect(chosen(environment)).toMatchObject({ url: new URL('http://127.0.0.1:3000/proxy'), apiKey: key });
  });

  test.each([
    [{ COMPANY_REGISTRY: 'http' }, /^COMPANY_REGISTRY_KEY is missing: .* or COMPANY_REGISTRY_KEY_FILE$/],
    [{ COMPANY_REGISTRY: 'other' }, /^COMPANY_REGISTRY must be one of local, http, not "other"$/],
    [{ COMPANY_REGISTRY_KEY: key }, /^COMPANY_REGISTRY_KEY contradicts COMPANY_REGISTRY=local: /],
    [{ COMPANY_REGISTRY_URL: 'https://a.example' }, /^COMPANY_REGISTRY_URL contradicts COMPANY_REGISTRY=local: /],
    [
      { COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: key, COMPANY_REGISTRY_URL: 'http://a.example' },
      /^COMPANY_REGISTRY_URL must be a URL of https/,
    ],
    [
      { COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: 'two words' },
      /^COMPANY_REGISTRY_KEY must be visible ASCII characters without a colon$/,
    ],
    [{ COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: 'user:word' }, /without a colon$/],
    [
      { COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY_FILE: '/no/such/file' },
      /COMPANY_REGISTRY_KEY_FILE names a file that cannot be read: ENOENT/,
    ],
  ])('names what is wrong with %o', (environment, message) => {
    expect(() => chosen(environment)).toThrow(message);
  });

  test('refuses two keys, and a file that holds none, without repeating what it holds', async () => {
    const file = await keyFile('it is secret');
    const both = { COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: key, COMPANY_REGISTRY_KEY_FILE: file };
    const read = (environment: NodeJS.ProcessEnv): string => {
      try {
        return JSON.stringify(chosen(environment));
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(read({ ...both, COMPANY_REGISTRY_KEY: undefined })).toMatch(
      /_KEY_FILE names \S+, which must be visible ASCII/,
    );
    expect(read({ ...both, COMPANY_REGISTRY_KEY: undefined })).not.toContain('it is secret');
    await keyFile(key);
    expect(read(both)).toMatch(/COMPANY_REGISTRY_KEY contradicts COMPANY_REGISTRY_KEY_FILE/);
    expect(read(both)).not.toContain(key);
  });

  test('is what is opened', async () => {
    const config = readConfig({ COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: key });
    const opened = await openRegistries(config, {} as CompanyRegisterStore, pino({ level: 'silent' }));
    expect(opened).toMatchObject([
      { name: 'UK company register (api.company-information.service.gov.uk)', kinds: ['uk-company-number'] },
      { name: 'Federal corporation register of Canada (imported)' },
    ]);
  });
});
