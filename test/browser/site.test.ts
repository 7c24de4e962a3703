import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import express from 'express';
import type { Page } from 'playwright-core';
import { buildDocs } from '../../scripts/docs/build.ts';
import { describeInBrowser, keepScreenshot } from './chromium.ts';
import { type Harness, startHarness } from '../support/harness.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [desktop, phone] = [1440, 390];
const schemes = ['light', 'dark'] as const;

let docs: TemporaryFolder;
let api: Harness;
let anyHost: Server;
let pages: string[];
beforeAll(async () => {
  docs = await TemporaryFolder.make();
  await buildDocs(docs.path);
  api = await startHarness({ docsFolder: `${docs.path}/served-docs` });
  // A host of static files that knows nothing of the site, which it has below a path of its own.
  anyHost = createServer(express().use('/some/where', express.static(`${docs.path}/docs`))).listen(0, '127.0.0.1');
  const manifest = JSON.parse(readFileSync(`${docs.path}/served-docs/docs.json`, 'utf8')) as object;
  pages = Object.keys(manifest).filter((path) => path.endsWith('.html') && path !== '/docs/reference.html');
});
afterAll(async () => {
  anyHost.close();
  await api.close();
  await docs.remove();
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const served = (path: string) => `http://127.0.0.1:${portOf(api.server)}${path}`;
const hosted = (path: string) => `http://127.0.0.1:${portOf(anyHost)}/some/where/${path}`;

/** The results of the search for a text, as a reader sees them. */
async function search(page: Page, text: string): Promise<{ title: string; address: string }[]> {
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('textbox', { name: 'Search' }).fill(text);
  const links = page.locator('.pagefind-ui__result-title > a');
  await links.first().waitFor();
  return Promise.all(
    (await links.all()).map(async (link) => ({
      title: await link.innerText(),
      address: (await link.getAttribute('href')) ?? '',
    })),
  );
}

describeInBrowser('the site', (open) => {
  test('no page asks for anything outside, says anything, is wider than its window or has a barrier that axe can find', async () => {
    expect(pages.length).toBeGreaterThan(35);
    const left = [...pages];
    const take = async () => {
      for (let path = left.shift(); path !== undefined; path = left.shift()) await lookAt(path);
    };
    await Promise.all([take(), take(), take()]);
  });

  /** Looks at a page in both widths and both themes. */
  async function lookAt(path: string): Promise<void> {
    const { page, requests, complaints } = await open(served(path), phone);
    // A script lets the keyboard scroll blocks of code that are too wide, a moment after they are shown.
    await untilTrue(
      page,
      "[...document.querySelectorAll('pre')].every((pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex === 0)",
    );
    await page.evaluate(axe);
    for (const width of [phone, desktop])
      for (const scheme of schemes) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await untilTrue(page, `document.documentElement.dataset.theme === '${scheme}'`);
        expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
        const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
        const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
        expect([path, width, scheme, found]).toEqual([path, width, scheme, []]);
        await keepScreenshot(page, `site${path.replaceAll(/\W+/g, '-')}-${width}-${scheme}`);
      }
    const outside = requests.filter((url) => !url.startsWith(served('/docs/')));
    expect([path, outside, complaints]).toEqual([path, [], []]);
    await page.close();
  }

  /** Waits until something is so; the policy of the pages refuses Playwright's own way to wait for a text of script. */
  async function untilTrue(page: Page, condition: string): Promise<void> {
    await until(
      () => `${page.url()} has ${condition}`,
      () => page.evaluate<boolean>(condition),
      50,
    );
  }

  test('keeps the chosen theme from page to page', async () => {
    const { page, complaints } = await open(hosted('index.html'), desktop);
    await page.getByLabel('Select theme').first().selectOption('dark');
    await page.getByRole('main').getByRole('link', { name: 'Error codes' }).click();
    await page.waitForURL(hosted('errors.html'));
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each([
    ['request.validation.failed', 'request.validation.failed', '/errors/request.validation.failed.html'],
    ['registries', 'Analysing files', '/guides/analysis.html'],
  ])('the search finds %s', async (text, title, address) => {
    for (const [base, folder] of [
      [served('/docs/index.html'), '/docs'],
      [hosted('guides/client.html'), '/some/where'],
    ] as const) {
      const { page, complaints } = await open(base, desktop);
      const results = await search(page, text);
      const found = results.find((result) => result.address === folder + address);
      expect([results, found?.title]).toEqual([results, expect.stringContaining(title)]);
      expect(complaints).toEqual([]);
      await page.close();
    }
  });

  test('paper shows the text alone', async () => {
    const { page } = await open(served('/docs/guides/client.html'), desktop);
    await page.emulateMedia({ media: 'print' });
    for (const part of ['navigation', 'banner'] as const)
      for (const each of await page.getByRole(part).all()) expect(await each.isVisible()).toBe(false);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    await page.close();
  });
});
