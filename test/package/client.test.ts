/** The client's package in a project that has installed it: compiled against, bundled and run. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { addressOf } from '../support/client.ts';
import { compile } from '../support/compile.ts';
import { startHarness } from '../support/harness.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';
import { installForUser, run } from './packed.ts';

const user = await installForUser('client');

test('the package depends on openapi-fetch alone', () => {
  expect(Object.keys(user.manifest.dependencies)).toEqual(['openapi-fetch']);
});

describe('a project that has installed it', () => {
  test.each([
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'bundler'],
  ])('compiles against its types with module %s', async (module, moduleResolution) => {
    await writeFile(
      join(user.project, 'user.ts'),
      `import { createClient, isApiError, type Case } from 'document-analysis-client';
         const client = createClient({ region: 'ca', accessToken: 'token' });
         const files: Case['files'] = (await client.getCase('1')).files;
         const { data, headers } = await client.getCase('1').withResponse();
         const label: string | null = data.label ?? headers.get('x-request-id');
         // @ts-expect-error -- typed, not any
         const wrong: string = files;
         export { wrong, label, isApiError };`,
    );
    const options = { strict: true, target: 'ES2022', lib: ['ES2022', 'DOM'], types: [] };
    const compilerOptions = { ...options, skipLibCheck: false, module, moduleResolution };
    expect(await compile(user.project, { compilerOptions, files: ['user.ts'] })).toBe('');
  });

  test('calls a server, and reaches nothing else', async () => {
    const api = await startHarness();
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    await writeFile(
      join(user.project, 'user.mjs'),
      `import { createClient } from 'document-analysis-client';
       const { API_KEY: apiKey, BASE_URL: baseUrl } = process.env;
       const client = createClient({ region: 'uk', apiKey, baseUrl });
       const inner = await import('document-analysis-client/dist/index.js').catch(({ code }) => code);
       console.log(JSON.stringify([await client.getVerificationSetting(), inner]));`,
    );
    const env = { ...process.env, API_KEY: key, BASE_URL: addressOf(api) };
    const { stdout } = await run(process.execPath, ['user.mjs'], { cwd: user.project, env });
    expect(JSON.parse(stdout)).toEqual([{ enabled: false }, 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
  });
});
