/** `npm run docs:pictures`: takes the README's pictures of the documentation and of a contract report, by Chromium. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { serving, startProgram, startScript } from '../support/process.ts';

const folder = 'docs/images';
const window = { width: 1280, height: 800 };
/** A picture has to stay below 150 kB. */
const quality = 60;
const mostBytes = 150_000;

const data = mkdtempSync(join(tmpdir(), 'document-analysis-pictures-'));
const server = startProgram(['serve', '--port', '0', '--data-dir', data]);
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--disable-gpu', '--hide-scrollbars', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});
try {
  const url = await serving(server);
  const page = await browser.newPage({ viewport: window, colorScheme: 'light' });
  await takePicture(page, `${url}/docs`, 'documentation');
  await takePicture(page, pathToFileURL(await writeReport(url)).href, 'contract-report');
} finally {
  await browser.close();
  server.child.kill();
  await server.ended;
  rmSync(data, { recursive: true });
}

/** The report of a run that finds something: the case that must be empty has a file. */
async function writeReport(url: string): Promise<string> {
  const [credentials, report] = [join(data, 'credentials.json'), join(data, 'report.html')];
  const demo = await command('demo', '--json', '--port', new URL(url).port);
  writeFileSync(credentials, demo, { mode: 0o600 });
  const { empty_case_id: emptyCase } = JSON.parse(demo) as { empty_case_id: string };
  await command('file', 'add', emptyCase, 'docs/examples/invoice.pdf');
  const run = startScript('scripts/contract.ts', ['--url', url, '--credentials', credentials, '--html', report]);
  const exitCode = await run.ended;
  if (exitCode !== 1)
    throw new Error(`the contract suite ended with ${String(exitCode)}: ${run.stdout()}${run.stderr()}`);
  return report;
}

async function command(...words: string[]): Promise<string> {
  const program = startProgram([...words, '--data-dir', data]);
  if ((await program.ended) !== 0) throw new Error(program.stderr());
  return program.stdout();
}

async function takePicture(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address, { waitUntil: 'networkidle' });
  const session = await page.context().newCDPSession(page);
  const { data: picture } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  const content = Buffer.from(picture, 'base64');
  if (content.length > mostBytes) throw new Error(`${name} has ${content.length} bytes: lower the quality`);
  const file = join(folder, `${name}.webp`);
  writeFileSync(file, content);
  console.log(`${file}: ${Math.round(content.length / 1000)} kB`);
}
