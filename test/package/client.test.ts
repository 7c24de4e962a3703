/** The client's package in a project that has installed it: compiled against, bundled and run. */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addressOf } from '../support/client.ts';
import { startHarness } from '../support/harness.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';
import { installForUser, type PackageUser, run } from './packed.ts';

let user: PackageUser;
beforeAll(async () => {
  user = await installForUser('client');
});
afterAll(() => user.remove());

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
    const options = { strict: true, noEmit: true, target: 'ES2022', lib: ['ES2022', 'DOM'], types: [] };
    const compilerOptions = { ...options, skipLibCheck: false, module, moduleResolution };
    await writeFile(join(user.project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['user.ts'] }));
    const compiled = await run(resolve('node_modules/.bin/tsc'), ['-p', user.project]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(compiled.stdout).toBe('');
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
    try {
      const { stdout } = await run(process.execPath, ['user.mjs'], { cwd: user.project, env });
      expect(JSON.parse(stdout)).toEqual([{ enabled: false }, 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
    } finally {
      await api.close();
    }
  });
});
