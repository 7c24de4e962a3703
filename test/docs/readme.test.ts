/**
 * The steps of the README and of the guide to the analysis, as they stand there, beside a server; then a check of that server
 * against the contract.
 */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startServer } from '../support/process.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const sections = readFileSync('README.md', 'utf8').split(/^## /m);

/** The blocks to paste in a section. */
function blocksOf(title: string): string {
  const section = sections.find((text) => text.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('');
}

/**
 * Runs this checkout's programs in place of what is installed; of the suite, what the usual limits of requests let through
 * without waiting for minutes.
 */
const functions = `
npx() { if [ "$1" = document-analysis ]; then shift; node --no-warnings ${resolve('src/main.ts')} "$@"; else "$@"; fi; }
npm() { shift 3; (cd ${resolve('.')} && node --no-warnings scripts/contract.ts --only 'replay.*,rules' "$@"); }
`;

const folder = await TemporaryFolder.make();
for (const name of ['docs', 'node_modules']) symlinkSync(resolve(name), join(folder.path, name));
const { url, dataDir } = await startServer();
const { port } = new URL(url);

async function follow(block: string): Promise<string> {
  const script = functions + block.replaceAll(':8080', `:${port}`);
  const env = { ...process.env, PORT: port, DATA_DIR: dataDir };
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd: folder.path, env });
  return stdout;
}

test('the README says of each package what it does, where, and where the project goes around it', () => {
  const table = sections.find((text) => text.startsWith('Built with\n')) ?? '';
  const rows = [...table.matchAll(/^\| ([a-z@]\S*) \| [^|]+ \| [^|]+ \| [^|]+ \|$/gm)].map(([, name]) => name);
  const asked =
    'express openapi-backend express-openapi-validator openapi-typescript @redocly/cli dredd supertest jest';
  expect(rows).toEqual(asked.split(' '));
});

test('the first call is typed, succeeds and is audited', async () => {
  const printed = await follow(blocksOf('The first call'));
  expect(printed).toMatch(
    /^\{ enabled: true \}\nSupplier onboarding 1042: 4 files\n404 request\.cases\.case\.not-found /,
  );
  expect(printed).toMatch(/ organisation\.verification-setting\.updated +off +on /);
});

test('the first document ends with evidence, in a case that a caller reads, with a thumbnail', async () => {
  const printed = await follow(blocksOf('The first document'));
  expect(printed).toMatch(/^01234567 +match +UK company register \(imported\) +ACME WIDGETS LIMITED \(Active\) /m);
  expect(printed).toMatch(/^GB726129090 +registry_unavailable /m);
  expect(printed).toMatch(/\{"case_id":.*"file_analysis_status":"file_analysis_complete".*"total_files":1\}$/);
  expect(readFileSync(join(folder.path, 'invoice.webp'), 'latin1')).toMatch(/^RIFF.{4}WEBP/s);
});

test('the guide to the analysis ends with evidence', async () => {
  const blocksOfGuide = readFileSync('docs/analysis.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms);
  const [first, second] = Array.from(blocksOfGuide, ([, block = '']) => block);
  const added = `
    added() {
      npx document-analysis case show "$case" --json |
        node -p 'JSON.parse(fs.readFileSync(0)).files.findLast((file) => file.label === "letter.txt").file_id'
    }`;
  const printed = await follow(`${added}\n${first}${second}`.replaceAll(' FILE', ' --wait 600s $(added)'));
  expect(printed).toMatch(/^01234567 +match +UK company register \(imported\) +ACME WIDGETS LIMITED \(Active\) /m);
});

test('afterwards, the server still conforms', async () => {
  const check = blocksOf('Test any server against the contract')
    .split('\n')
    .filter((line) => line.includes('--url'))
    .join('\n')
    .replace('demo.json', join(folder.path, 'demo.json'))
    .replace('contract.html', join(folder.path, 'contract.html'));
  expect(await follow(check)).toMatch(/ passed, 0 failed, \d+ skipped\n/);
  expect(readFileSync(join(folder.path, 'contract.html'), 'utf8')).toMatch(/<!doctype html>/i);
});
