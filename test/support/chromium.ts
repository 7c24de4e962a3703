import { existsSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** Why tests in a browser are skipped; undefined if one is installed. */
export const browserMissing = executablePath === undefined ? 'no Chromium is installed' : undefined;

/** Opens a page in a real Chromium while `work` runs. */
export async function withPage(work: (page: Page) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  try {
    await work(await browser.newPage());
  } finally {
    await browser.close();
  }
}
