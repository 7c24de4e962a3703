/** `npm run docs:pictures`: takes the README's pictures of the documentation and of a contract report, by Chromium. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { closeOpened } from '../support/afterwards.ts';
import { jsonOf, startNode, startServer } from '../support/process.ts';

const folder = 'docs/images';
const window = { width: 1280, height: 800 };
/** A picture has to stay below 150 kB. */
const quality = 60;
const maxBytes = 150_000;

const { url, dataDir } = await startServer();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--disable-gpu', '--hide-scrollbars', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});
try {
  const page = await browser.newPage({ viewport: window, colorScheme: 'light' });
  await takePicture(page, `${url}/docs`, 'documentation');
  await takePicture(page, pathToFileURL(await writeReport()).href, 'contract-report');
} finally {
  await browser.close();
  await closeOpened();
}

/** The report of a run that finds something: the case that must be empty has a file. */
async function writeReport(): Promise<string> {
  const [credentials, report] = [join(dataDir, 'credentials.json'), join(dataDir, 'report.html')];
  const data = ['--data-dir', dataDir];
  const demo = await jsonOf<DemoData>(['demo', '--port', new URL(url).port, ...data]);
  writeFileSync(credentials, JSON.stringify(demo), { mode: 0o600 });
  await jsonOf(['file', 'add', demo.empty_case_id, 'docs/examples/invoice.pdf', ...data]);
  const run = startNode(['scripts/contract.ts', '--url', url, '--credentials', credentials, '--html', report]);
  const exitCode = await run.ended;
  if (exitCode !== 1) throw new Error(`the contract suite ended with ${exitCode}: ${run.stdout()}${run.stderr()}`);
  return report;
}

async function takePicture(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address, { waitUntil: 'networkidle' });
  const session = await page.context().newCDPSession(page);
  const { data: picture } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  const content = Buffer.from(picture, 'base64');
  if (content.length > maxBytes) throw new Error(`${name} has ${content.length} bytes: lower the quality`);
  const file = join(folder, `${name}.webp`);
  writeFileSync(file, content);
  console.log(`${file}: ${Math.round(content.length / 1000)} kB`);
}
