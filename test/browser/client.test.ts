import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import type * as clientModule from '../../client/index.ts';
import { startMock } from '../support/mock.ts';
import { addressOf } from '../support/client.ts';
import { startHarness } from '../support/harness.ts';
import { serveHttp } from '../support/misbehaving-servers.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';
import { describeInBrowser } from './chromium.ts';

/** Bundles for browsers, where an import of Node.js is an error. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: 'client' },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

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

const code = await bundle("import * as client from './index.ts'; globalThis.client = client;");
/** The same page, at an origin that is allowed and at one that is not. */
const other = await serveHttp((_request, response) => {
  response
    .setHeader('Content-Type', 'text/html')
    .end(`<!doctype html><link rel=icon href=data:,><script type=module>${code}</script>`);
});
const allowed = other.replace('127.0.0.1', 'localhost');
const api = await startHarness({ allowedOrigins: [allowed], rateLimits: { requests: 2 } });
const mock = await startMock({ region: 'uk', allowedOrigins: [allowed] });

/** What a page of another origin gets to know of an update with a key: of its result, and of the headers of another call. */
async function update(page: Page, baseUrl: string, apiKey: string): Promise<object> {
  // A module is run some time after its tag was read.
  await page.waitForFunction('globalThis.client');
  return page.evaluate(
    async ([url, key]) => {
      const { createClient, isApiError } = (globalThis as unknown as { client: typeof clientModule }).client;
      const client = createClient({ region: 'uk', apiKey: key, baseUrl: url, retries: 0 });
      try {
        const { data, headers } = await client.updateVerificationSetting({ enabled: true }).withResponse();
        return { ...data, readable: [...headers.keys()].sort() };
      } catch (error) {
        if (!isApiError(error, 'updateVerificationSetting')) return { error: (error as Error).name };
        const { status, code, retryAfterSeconds } = error;
        return { status, code, waits: retryAfterSeconds !== undefined };
      }
    },
    [baseUrl, apiKey] as const,
  );
}

const readable = expect.arrayContaining(['ratelimit', 'ratelimit-policy', 'x-request-id']);

describeInBrowser('a web page of another origin', (open) => {
  test('calls the service with the client, and reads successes and refusals, if its origin is allowed', async () => {
    const { page, complaints } = await open(allowed, 800);
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    expect(await update(page, addressOf(api), key)).toEqual({ enabled: true, readable });
    expect(await update(page, addressOf(api), 'unknown')).toMatchObject({
      status: 401,
      code: 'request.authentication.invalid-token',
    });
    expect(await update(page, addressOf(api), key)).toMatchObject({ enabled: true });
    expect(await update(page, addressOf(api), key)).toEqual({
      status: 429,
      code: 'request.rate-limit.exceeded',
      waits: true,
    });
    expect(complaints.filter((text) => !/status of (401|429)/.test(text))).toEqual([]);
  });

  test('learns nothing if its origin is not allowed', async () => {
    const { page, complaints } = await open(other, 800);
    const key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
    expect(await update(page, addressOf(api), key)).toEqual({ error: 'ConnectionError' });
    expect(complaints.join()).toContain('blocked by CORS policy');
  });

  test('calls the mock, with --cors', async () => {
    const { page } = await open(allowed, 800);
    expect(await update(page, mock.url, 'any')).toEqual({ enabled: true, readable });
    const { page: refused } = await open(other, 800);
    expect(await update(refused, mock.url, 'any')).toEqual({ error: 'ConnectionError' });
  });
});
