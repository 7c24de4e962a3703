import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env['CHROMIUM'] ?? places.find((path) => existsSync(path));
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

/** Tests in a real Chromium; without one on the machine they are skipped, and say so. */
export function describeInChromium(title: string, define: (open: OpenPage) => void): void {
  if (executablePath === undefined) {
    const reason = `no Chromium at ${places.join(', ')}; install one, or name it in CHROMIUM`;
    process.stderr.write(`Skipped: ${title} (${reason})\n`);
    describe.skip(`${title} (skipped: ${reason})`, () => {
      define(() => Promise.reject(new Error(reason)));
    });
    return;
  }
  describe(title, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: [...quiet, ...sandbox] });
    }, 60_000);
    afterAll(() => browser.close());

    define(async (address, width) => {
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      const requests: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(address);
      return { page, requests, complaints };
    });
  });
}

/** Keeps a picture of what the window shows below reports/, for people. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const path = `reports/browser/${name}.png`;
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path });
}
