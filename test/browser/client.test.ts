import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import type * as clientModule from '../../client/index.ts';
import { addressOf } from '../support/client.ts';
import { bundle, bundleClient } from './bundle-client.ts';
import { testInBrowser, withPage } from './chromium.ts';
import { startHarness } from '../support/harness.ts';
import { addAccessToken, addApiKey, addCase, addOrganisation, buildCase } from '../support/tenants.ts';

test('the whole client is small and loads nothing of Node.js', async () => {
  const code = await bundle("export * from './index.ts'");
  expect(code).not.toMatch(/require\(|from *"node:/);
  expect(gzipSync(code).length).toBeLessThan(8000);
});

test('a bundler leaves out what is not used', async () => {
  expect(await bundle("import './index.ts'")).toBe('');
  const guard = await bundle("export { isApiError } from './index.ts'");
  expect(guard).not.toContain('serializeObjectParam');
  expect(gzipSync(guard).length).toBeLessThan(2000);
});

testInBrowser('it works in a browser', async () => {
  const api = await startHarness();
  const organisation = await addOrganisation(api.store);
  const apiKey = await addApiKey(api.store, organisation, 'owner');
  const accessToken = await addAccessToken(api.store, organisation);
  const caseId = await addCase(api.store, organisation, buildCase(['analysis_complete']));
  const code = await bundleClient();
  try {
    await withPage(async (page) => {
      // Without CORS, the page has the origin of the service.
      await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
      await page.goto(`${addressOf(api)}/page`);
      await page.addScriptTag({ content: code, type: 'module' });
      // A module is run some time after its tag was added.
      await page.waitForFunction('globalThis.client');
      const seen = await page.evaluate(
        async ([baseUrl, key, token, id]) => {
          const { createClient, isApiError } = (globalThis as unknown as { client: typeof clientModule }).client;
          const client = createClient({
            region: 'uk',
            apiKey: key,
            accessToken: () => token,
            baseUrl,
          });
          const missing: unknown = await client.getCase('absent').catch((error: unknown) => error);
          const aborted: unknown = await client
            .getCase(id, { signal: AbortSignal.abort() })
            .catch((error: unknown) => error);
          return {
            update: await client.updateVerificationSetting({ enabled: true }),
            files: (await client.getCase(id)).files.length,
            missing: isApiError(missing, 'getCase') && [missing.status, missing.code, missing.requestId],
            aborted: (aborted as Error).name,
          };
        },
        [addressOf(api), apiKey, accessToken, caseId] as const,
      );
      expect(seen).toEqual({
        update: { enabled: true },
        files: 1,
        missing: [404, 'request.cases.case.not-found', expect.stringMatching(/^[\da-f-]{36}$/)],
        aborted: 'AbortError',
      });
    });
  } finally {
    await api.close();
  }
});
