import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const places =
  process.env['CHROMIUM'] !== undefined
    ? [process.env['CHROMIUM']]
    : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = places.find((path) => existsSync(path));
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--no-first-run',
];
// Chromium refuses its sandbox to root, as in a container.
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** For each step: on a loaded machine half a minute, which Playwright allows, is short. */
const timeout = 120_000;

/** A page in Chromium with an empty profile, and what it did. */
export interface OpenedPage {
  readonly page: Page;
  /** Addresses that it asked for, in order. */
  readonly requests: string[];
  /** What it wrote to the console, and the errors that nothing caught: a blocked request or script is among them. */
  readonly complaints: string[];
}

/** Opens an address in a window of this width in pixels. */
export type OpenPage = (address: string, width: number) => Promise<OpenedPage>;

/** Why tests in a browser are skipped; undefined if one is installed. */
const browserMissing =
  executablePath === undefined ? `no Chromium at ${places.join(', ')}: install it, or name one in CHROMIUM` : undefined;

/** A test that needs Chromium: skipped without one, and `.ci/run` installs it. */
export const testInBrowser = browserMissing === undefined ? test : test.skip;
if (browserMissing !== undefined)
  process.stderr.write(`${expect.getState().testPath ?? ''}: tests in a browser are skipped, ${browserMissing}\n`);

/** Opens a page in a real Chromium while `work` runs. */
export async function withPage(work: (page: Page) => Promise<void>): Promise<void> {
  const browser = await launch();
  try {
    await work(await newPage(browser));
  } finally {
    await browser.close();
  }
}

/** Tests that share a real Chromium; without one on the machine they are skipped. */
export function describeInBrowser(title: string, define: (open: OpenPage) => void): void {
  let browser: Browser;
  const open: OpenPage = async (address, width) => {
    const page = await newPage(browser, { viewport: { width, height: 900 } });
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(address);
    return { page, requests, complaints };
  };
  (browserMissing === undefined ? describe : describe.skip)(title, () => {
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser.close());
    define(open);
  });
}

async function newPage(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(timeout);
  return page;
}

function launch(): Promise<Browser> {
  return chromium.launch({
    timeout,
    ...(executablePath !== undefined && { executablePath }),
    args: [...quiet, ...sandbox],
  });
}

/** Keeps a picture of what the window shows below reports/, for people. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const path = `reports/browser/${name}.png`;
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path });
}
