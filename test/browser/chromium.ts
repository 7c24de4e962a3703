import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const places =
  process.env['CHROMIUM'] !== undefined
    ? [process.env['CHROMIUM']]
    : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((path) => existsSync(path));
const quiet = [
  ...['--disable-background-networking', '--disable-component-update', '--disable-gpu', '--disable-quic'],
  ...['--disable-sync', '--no-first-run'],
];
// Chromium refuses its sandbox to root, as in a container.
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** For each step: on a loaded machine half a minute, which Playwright allows, is short. */
const timeout = 120_000;

if (executablePath === undefined) {
  const remedy = `no Chromium at ${places.join(', ')}: install it, or name one in CHROMIUM`;
  process.stderr.write(`${expect.getState().testPath ?? ''}: tests in a browser are skipped, ${remedy}\n`);
}

/** Opens an address with an empty profile in a window of this width in pixels, and tells what the page does. */
async function openIn(browser: Browser, address: string, width: number) {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  page.setDefaultTimeout(timeout);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(address);
  return {
    page,
    /** Addresses that it asked for, in order. */
    requests,
    /** What it wrote to the console, and the errors that nothing caught: a blocked request or script is among them. */
    complaints,
  };
}

type OpenPage = (address: string, width: number) => ReturnType<typeof openIn>;

/** Tests that share a real Chromium, whose pages are closed after each: skipped without one, and `.ci/run` installs it. */
export function describeInBrowser(title: string, define: (open: OpenPage) => void): void {
  let browser: Browser;
  (executablePath === undefined ? describe.skip : describe)(title, () => {
    beforeAll(async () => {
      const launched = { timeout, args: [...quiet, ...sandbox] };
      browser = await chromium.launch({ ...launched, ...(executablePath !== undefined && { executablePath }) });
    });
    afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
    afterAll(() => browser.close());
    define((address, width) => openIn(browser, address, width));
  });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The barriers that axe finds on a page as it is shown, each with its elements. */
export async function barriersOn(page: Page): Promise<[rule: string, elements: string[]][]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe);
  const { violations, passes } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  if (passes.length === 0) throw new Error('axe has looked at nothing');
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

/** Keeps a picture of what the window shows below reports/, for people. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const path = `reports/browser/${name}.png`;
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path });
}
