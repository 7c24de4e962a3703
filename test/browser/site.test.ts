/** The built site: as a folder with its navigation, links and policies, then in Chromium. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import express from 'express';
import type { Page } from 'playwright-core';
import { ownDocument } from '../../contract/document/own-document.ts';
import { buildDocs } from '../../scripts/docs/build.ts';
import { errorHelp } from '../../scripts/docs/error-pages.ts';
import { guideGroups } from '../../scripts/docs/guides.ts';
import { versionPages } from '../../scripts/docs/version-pages.ts';
import type { DocsManifest } from '../../src/api/steps/serve-docs.ts';
import { addressOf } from '../support/client.ts';
import { startHarness } from '../support/harness.ts';
import { serveHttp } from '../support/misbehaving-servers.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { barriersOn, describeInBrowser, keepScreenshot } from './chromium.ts';

const [desktop, phone] = [1440, 390];

const docs = await TemporaryFolder.make();
await buildDocs(docs.path);
const read = (path: string) => readFileSync(join(docs.path, 'docs', path), 'utf8');
const paths = readdirSync(join(docs.path, 'docs'), { recursive: true, encoding: 'utf8' });
/** The pages by their path in the folder. */
const pages = new Map(paths.filter((path) => path.endsWith('.html')).map((path) => [path, read(path)]));
const api = await startHarness({ docsFolder: `${docs.path}/served-docs` });
/** A host of static files that knows nothing of the site, which it has below a path of its own. */
const anyHost = await serveHttp(express().use('/some/where', express.static(`${docs.path}/docs`)));

test('every guide is in the navigation, and has a page', () => {
  const guides = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const listed = guideGroups.flatMap((group) => group.guides);
  expect([...listed].sort()).toEqual(guides.map((name) => name.replace(/\.md$/, '')).sort());
  const start = read('index.html');
  for (const name of listed) expect([name, start.includes(`href="guides/${name}.html"`)]).toEqual([name, true]);
});

test('every link within the site is relative and leads to a file, and to an element of it if it names one', () => {
  const broken = [...pages].flatMap(([path, html]) =>
    [...html.replaceAll(/<script\b[^>]*>[^]*?<\/script>/g, '').matchAll(/\s(?:href|src)="([^"]*)"/g)]
      .map(([, link = '']) => link.replaceAll('&#38;', '&'))
      .filter((link) => !/^([a-z]+:|\?)/.test(link))
      .filter((link) => {
        const { pathname, hash } = new URL(link, `https://site/${path}`);
        const target = decodeURIComponent(pathname.slice(1));
        if (link.startsWith('/') || !existsSync(join(docs.path, 'docs', target))) return true;
        // A browser makes the elements of the reference; their names are those of the document.
        const [, operationId] = /operation\/(\w+)$/.exec(hash) ?? [];
        if (target === 'reference.html') return operationId !== undefined && !read(target).includes(`"${operationId}"`);
        return hash !== '' && !pages.get(target)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`);
      })
      .map((link) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('links that leave the guides lead to the repository, if its address is known, and else are no links', () => {
  const relative = [...pages.values()].flatMap((html) => [...html.matchAll(/href="[^"]*\/(src|test|deploy)\/[^"]*"/g)]);
  for (const [link] of relative) expect(link).toMatch(/^href="https:\/\/[^"]+\/blob\/main\//);
});

test('no file is empty', () => {
  const files = readdirSync(join(docs.path, 'docs'), { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => ({ name, size: statSync(join(parentPath, name)).size }));
  expect(sizes.some(({ name }) => name === 'pagefind-entry.json')).toBe(true);
  expect(sizes.filter(({ size }) => size === 0)).toEqual([]);
});

test('the policy of a page, in it and in its header, allows files of the site and what stands in it by its hash', () => {
  const manifest = JSON.parse(readFileSync(`${docs.path}/served-docs/docs.json`, 'utf8')) as DocsManifest;
  const hashes = "( 'sha256-[\\w+/]{43}=')*";
  const ofSite = `script-src 'self' 'wasm-unsafe-eval'${hashes}; style-src 'self'( 'unsafe-hashes')?${hashes}; img-src 'self' data:; connect-src 'self'; worker-src 'self'`;
  const ofReference = `script-src${hashes}; style-src${hashes}; img-src data:; worker-src blob:`;
  for (const [path, html] of pages) {
    const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html) ?? [];
    const allowed = path === 'reference.html' ? ofReference : ofSite;
    const whole = new RegExp(`^default-src 'none'; ${allowed}; base-uri 'none'; form-action 'none'$`);
    expect([path, policy.replaceAll('&#39;', "'")]).toEqual([path, expect.stringMatching(whole)]);
    expect([path, manifest[`/docs/${path}`]?.headers['Content-Security-Policy']]).toEqual([
      path,
      `${policy.replaceAll('&#39;', "'")}; frame-ancestors 'none'`,
    ]);
  }
});

test('every error code has a page with when, why and what to do', () => {
  const codes = Object.keys(ownDocument.errors).sort();
  expect(Object.keys(errorHelp).sort()).toEqual(codes);
  for (const code of codes) {
    const page = pages.get(`errors/${code}.html`) ?? '';
    for (const part of ['when', 'why', 'what-to-do']) expect(page).toContain(`id="${part}"`);
    expect(page).toContain(`<strong>${ownDocument.errors[code]?.status ?? ''} `);
  }
  expect(pages.get('errors/request.validation.failed.html')).toContain('operation/updateVerificationSetting');
  // The interface document says nothing of risk scores, so there is no remedy to tell.
  expect(errorHelp['request.cases.file.missing-risk-score']).toMatchObject({
    todo: [expect.stringContaining('describes neither an operation that responds with this code, nor how')],
    retry: expect.not.stringContaining('Yes'),
  });
});

test('each released version has a page and its document', () => {
  const versions = readdirSync('openapi/released');
  expect(versions.length).toBeGreaterThan(0);
  for (const name of versions) {
    expect(pages.get(`versions/${name.replace('.yaml', '.html')}`)).toContain(`href="../versions/${name}"`);
    expect(read(`versions/${name}`)).toBe(readFileSync(`openapi/released/${name}`, 'utf8'));
  }
});

test('a second version shows what changed for clients, and every difference', async () => {
  const yaml = readFileSync('openapi/released/0.0.1.yaml', 'utf8');
  const changed = yaml
    .replace('version: 0.0.1', 'version: 0.1.0')
    .replace('operationId: getCase', 'operationId: readCase');
  const changelog =
    '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-12-01\n\n### Changed\n\n- A name.\n\n## 0.0.1 - 2026-11-01\n\n- All.\n';
  const released = [
    { version: '0.0.1', yaml },
    { version: '0.1.0', yaml: changed },
  ];
  const [list, last, first] = await versionPages(released, changelog);
  expect([list?.path, last?.path, first?.path]).toEqual(['versions', 'versions/0.1.0', 'versions/0.0.1']);
  expect(list?.markdown).toContain('[0.1.0](/versions/0.1.0.html) | Since 0.0.1: 1 breaking and 0 compatible changes.');
  expect(last?.markdown).toMatch(/## Breaking changes\n\n### GET \/cases\/\{id\}\n\n- .*getCase/);
  expect(last?.markdown).toMatch(/```diff\n[^]*\n- +operationId: getCase\n\+ +operationId: readCase\n[^]*```/);
  expect(last?.markdown).toContain('## Changelog\n\n### Changed\n\n- A name.\n\n## ');
  expect(first?.markdown).toContain('## Changelog\n\n- All.\n\n## ');
  expect(first?.markdown).toContain('`GET /cases/{id}`');
});

const served = (path: string) => `${addressOf(api)}/docs/${path}`;
const hosted = (path: string) => `${anyHost}/some/where/${path}`;

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
    const left = [...pages.keys()].filter((path) => path !== 'reference.html');
    expect(left.length).toBeGreaterThan(35);
    const take = async () => {
      for (let path = left.shift(); path !== undefined; path = left.shift())
        await lookAt(path, left.length % 2 === 0 ? ['light', 'dark'] : ['dark', 'light']);
    };
    await Promise.all([take(), take(), take()]);
  });

  /** Looks at a page in both widths and both themes: of two pages, one in two of the pairs, the other in the other two. */
  async function lookAt(path: string, [onPhone, atDesk]: readonly ['light' | 'dark', 'light' | 'dark']): Promise<void> {
    const { page, requests, complaints } = await open(served(path), phone);
    // A script lets the keyboard scroll blocks of code that are too wide, a moment after they are shown.
    await untilTrue(
      page,
      "[...document.querySelectorAll('pre')].every((pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex === 0)",
    );
    for (const [width, colorScheme] of [[phone, onPhone] as const, [desktop, atDesk] as const]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await untilTrue(page, `document.documentElement.dataset.theme === '${colorScheme}'`);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width]);
      expect([path, width, colorScheme, await barriersOn(page)]).toEqual([path, width, colorScheme, []]);
      await keepScreenshot(page, `site-${path.replaceAll(/\W+/g, '-')}-${width}-${colorScheme}`);
    }
    const outside = requests.filter((url) => !url.startsWith(served('')));
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
  });

  test.each([
    ['request.validation.failed', 'request.validation.failed', '/errors/request.validation.failed.html'],
    ['registries', 'Analysing files', '/guides/analysis.html'],
  ])('the search finds %s', async (text, title, address) => {
    for (const [base, folder] of [
      [served('index.html'), '/docs'],
      [hosted('guides/client.html'), '/some/where'],
    ] as const) {
      const { page, complaints } = await open(base, desktop);
      const results = await search(page, text);
      const found = results.find((result) => result.address === folder + address);
      expect([results, found?.title]).toEqual([results, expect.stringContaining(title)]);
      expect(complaints).toEqual([]);
    }
  });

  test('paper shows the text alone', async () => {
    const { page } = await open(served('guides/client.html'), desktop);
    await page.emulateMedia({ media: 'print' });
    for (const part of ['navigation', 'banner'] as const)
      for (const each of await page.getByRole(part).all()) expect(await each.isVisible()).toBe(false);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
  });
});
