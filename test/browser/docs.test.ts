import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { referenceFiles } from '../../scripts/docs/build.ts';
import { writeDocs } from '../../scripts/docs/write.ts';
import type { Schema } from '../../contract/document/index.ts';
import { ownDocument } from '../../contract/document/own-document.ts';
import { errors } from '../../generated/errors.ts';
import { barriersOn, describeInBrowser, keepScreenshot } from './chromium.ts';
import { addressOf } from '../support/client.ts';
import { startHarness } from '../support/harness.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const desktop = 1440;
const laptop = 1280;
const phone = 390;

const docs = await TemporaryFolder.make();
await writeDocs(docs.path, referenceFiles());
const api = await startHarness({ docsFolder: `${docs.path}/served-docs` });

const served = () => `${addressOf(api)}/docs/reference.html`;
const file = () => pathToFileURL(`${docs.path}/docs/reference.html`).href;

describeInBrowser('the reference', (open) => {
  /** Opens the page and waits until it is complete. */
  async function openDocs(address: string, width = desktop) {
    const opened = await open(address, width);
    await opened.page.getByRole('main').waitFor();
    return opened;
  }

  describe.each([
    ['served', served],
    ['opened from a file', file],
  ])('%s', (_how, address) => {
    test.each([
      ['a desk', desktop],
      ['a phone', phone],
    ])('asks for nothing but itself and complains of nothing, at the width of %s', async (_width, width) => {
      const { page, requests, complaints } = await openDocs(address(), width);
      await search(page, 'verification setting', 'Read the verification setting');
      expect(complaints).toEqual([]);
      expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([address()]);
    });

    test('stays at the section that is read when the region is changed', async () => {
      const { page } = await openDocs(`${address()}#tag/Cases/operation/getCase`);
      await expectInView(page, 'Read a case and its files');
      await page.getByRole('link', { name: 'CA', exact: true }).click();
      await page.waitForURL(/\?region=ca#tag\/Cases\/operation\/getCase$/);
      await expectInView(page, 'Read a case and its files');
    });

    test('changes base addresses and samples by the region switch, which the keyboard can use', async () => {
      const { page, complaints } = await openDocs(address());
      expect(await regionShown(page)).toBe('UK');
      const focused = () => page.evaluate<string | null>('document.activeElement.textContent');
      for (let left = 20; left > 0 && (await focused()) !== 'CA'; left -= 1) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\?region=ca/);
      await page.getByRole('main').waitFor();
      expect(await regionShown(page)).toBe('CA');
      for (const { operationId, method, path } of ownDocument.operations) {
        const section = sectionOf(page, operationId);
        const host = path.startsWith('/cases') ? 'cases' : 'api';
        await section.getByRole('tab', { name: 'curl' }).click();
        expect(await section.locator('pre:visible').innerText()).toContain(
          `https://${host}.ca.document-analysis.example`,
        );
        await section.getByRole('tab', { name: 'TypeScript' }).click();
        expect(await section.locator('pre:visible').innerText()).toContain("region: 'ca'");
        expect(await section.getByRole('listitem').filter({ hasText: 'Base address' }).innerText()).toContain(
          `${host}.ca.`,
        );
        await section.getByRole('button', { name: `${method} ${path}` }).click();
        expect(await section.innerText()).not.toContain('.uk.');
      }
      expect(complaints).toEqual([]);
    });
  });

  test('shows every operation with its fields and every example', async () => {
    const { page } = await openDocs(served());
    for (const operation of ownDocument.operations) {
      const section = sectionOf(page, operation.operationId);
      expect((await section.locator('.http-verb:visible').allInnerTexts())[0]?.toLowerCase()).toBe(operation.method);
      expect(await section.getByText(operation.path, { exact: true }).first().isVisible()).toBe(true);
      for (const button of await section.getByRole('button', { name: /^[45]\d\d / }).all()) await button.click();
      const media = Object.values(operation.responses).flatMap(({ content }) => Object.values(content));
      const shown = await section.locator('.property-name:visible').allInnerTexts();
      for (const { schema } of media) expect(shown).toEqual(expect.arrayContaining(fieldsOf(schema)));
      for (const [status, { content }] of Object.entries(operation.responses))
        for (const [index, { value }] of Object.values(content['application/json']?.examples ?? {}).entries())
          expect(await exampleShown(section, status, index)).toEqual(value);
      await section.scrollIntoViewIfNeeded();
      await section.evaluate('(section) => section.scrollIntoView()');
      await keepScreenshot(page, `docs-${operation.operationId}`);
    }
  });

  test('tells of regions, authentication, errors, limits and changes', async () => {
    const { page } = await openDocs(served());
    const textOf = (title: string) => page.locator(`[id="section/${title}"]`).innerText();
    for (const host of ['api.uk', 'api.ca', 'cases.uk', 'cases.ca'])
      expect(await textOf('Regions')).toContain(`https://${host}.document-analysis.example`);
    expect(await textOf('Authentication')).toMatch(/x-api-key[^]*Authorization: Bearer[^]*apiKey[^]*accessToken/);
    const catalogue = await textOf('Errors');
    for (const [code, { status }] of Object.entries(errors))
      expect(catalogue).toMatch(new RegExp(`${status}\\s+${code}`));
    expect(await textOf('Limits')).toContain('600 requests in 60 seconds');
    const outside = await textOf('Responses-outside-operations');
    for (const status of Object.keys(ownDocument.serviceResponses))
      expect(outside).toMatch(new RegExp(`^${status}\\s`, 'm'));
    const [newest = ''] = /^## \d.*$/m.exec(readFileSync('openapi/CHANGELOG.md', 'utf8')) ?? [];
    expect(await textOf('Changelog')).toContain(newest.slice(3));
    expect(await textOf('Changelog')).not.toContain('npm run');
    await keepScreenshot(page, 'docs');
  });

  test.each([laptop, phone])('fits a window of %i pixels, and cuts off no address', async (width) => {
    const { page } = await openDocs(served(), width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.evaluate(sticksOut)).toEqual([]);
    expect(await page.locator('[download="openapi.yaml"]').innerText()).toBe('openapi.yaml');
    await keepScreenshot(page, `docs-${width}`);
    await page.evaluate("document.getElementById('operation/updateVerificationSetting').scrollIntoView()");
    await keepScreenshot(page, `docs-${width}-operation`);
  });

  test.each([desktop, phone])('has no barrier that axe can find, %i pixels wide', async (width) => {
    const { page } = await openDocs(served(), width);
    expect(await barriersOn(page)).toEqual([]);
  });

  test('has the theme that was chosen on the site, or that of the system: the dark one inverts all but the samples', async () => {
    const { page } = await openDocs(served());
    const inverted = () =>
      page.evaluate(`[':root', '[data-section-id^="operation/"] > div:last-child', '.redoc-wrap > div:empty']
        .map((each) => getComputedStyle(document.querySelector(each)).filter.startsWith('invert(1)'))`);
    expect(await inverted()).toEqual([false, false, false]);
    await page.emulateMedia({ colorScheme: 'dark' });
    // The samples twice, so that they are as before.
    await until('the theme is dark', async () => isDeepStrictEqual(await inverted(), [true, true, true]), 50);
    await keepScreenshot(page, 'docs-dark');
    await page.evaluate("localStorage.setItem('starlight-theme', 'light')");
    await page.reload();
    await page.getByRole('main').waitFor();
    expect(await inverted()).toEqual([false, false, false]);
  });

  test('runs no script but its own', async () => {
    const { page, complaints } = await openDocs(file());
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('script'), { text: 'ran = true' }))",
    );
    expect(await page.evaluate('typeof ran')).toBe('undefined');
    expect(complaints.join()).toContain('Content Security Policy');
  });
});

function sectionOf(page: Page, operationId: string): Locator {
  return page.locator(`[id="operation/${operationId}"]`);
}

/** Has Redoc's search, a worker, find a section; on a phone it is in the menu. */
async function search(page: Page, text: string, found: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.press('Enter');
  await page.getByRole('textbox', { name: 'Search' }).fill(text);
  await page.getByRole('search').getByRole('menuitem', { name: found }).waitFor();
}

/** Waits until a heading is in the window, below the header. */
async function expectInView(page: Page, heading: string): Promise<void> {
  await page.getByRole('main').waitFor();
  const inView = async () => {
    const { y = -1 } = (await page.getByRole('heading', { name: heading }).boundingBox()) ?? {};
    return y >= 50 && y < 900;
  };
  await until(`the heading ${heading} is in view`, inView, 100);
}

/** The names of all fields of a schema, however deep. */
function fieldsOf({ properties = {}, items }: Schema): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => [name, ...fieldsOf(schema)]),
    ...(items ? fieldsOf(items) : []),
  ];
}

/** The value of an example of a status, after choosing it as a reader does. */
async function exampleShown(section: Locator, status: string, index: number): Promise<unknown> {
  const tab = section.getByRole('tab', { name: status, exact: true });
  await tab.click();
  const panel = section.locator(`[id="${(await tab.getAttribute('aria-controls')) ?? ''}"]`);
  const choice = panel.getByLabel('Example');
  if ((await choice.count()) > 0) await choice.selectOption({ index });
  return JSON.parse(await panel.locator('.redoc-json:visible').innerText());
}

function regionShown(page: Page): Promise<string> {
  return page.getByRole('navigation', { name: 'Region' }).locator('[aria-current]').innerText();
}

/** Parts that the window or an ellipsis cuts off; what only screen readers get has one pixel, and tables can be scrolled. */
const sticksOut = `[...document.querySelectorAll('.api-content :not(table, table *), header *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 ||
    (element.matches('.api-info *') && element.getBoundingClientRect().left < document.querySelector('.api-info h1').getBoundingClientRect().left) ||
    (getComputedStyle(element).overflow !== 'visible' && element.clientWidth > 1 &&
      element.scrollWidth > element.clientWidth + 1))
  .map((element) => element.outerHTML.slice(0, 200))`;
