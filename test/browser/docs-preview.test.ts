import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { describeInBrowser } from './chromium.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const sources = ['openapi', 'generated/openapi.json', 'redocly.yaml'];
const script = resolve('scripts/docs/preview.ts');

let folder: string;
let child: ChildProcess;
let output: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  for (const source of sources) await cp(source, join(folder, source), { recursive: true });
  // The rules of Redocly.
  await symlink(resolve('scripts'), join(folder, 'scripts'));
  output = '';
  child = start(['--port', '0']);
});
afterEach(async () => {
  const ended = once(child, 'close');
  child.kill();
  await ended;
});

/** Runs the preview on the copied sources. */
function start(args: string[]): ChildProcess {
  const preview = spawn(process.execPath, [script, ...args], { cwd: folder });
  for (const stream of [preview.stdout, preview.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return preview;
}

/** Waits until the preview has written this, and returns what matched. */
async function written(pattern: RegExp): Promise<string[]> {
  return until(
    () => `the preview writes ${pattern}: ${output}`,
    () => {
      const match = pattern.exec(output);
      if (!match && child.exitCode !== null) throw new Error(`The preview ended: ${output}`);
      return match;
    },
    50,
  );
}

async function edit(from: string, to: string): Promise<void> {
  const path = join(folder, 'openapi/openapi.yaml');
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  output = '';
  await writeFile(path, text.replace(from, to));
}

const pageOf = async (url: string) => (await fetch(url)).text();

test('an edit is shown, a mistake is told in the terminal and on the page, and neither ends the preview', async () => {
  const [, url = ''] = await written(/Preview on (\S+)/);
  expect(await pageOf(url)).toContain('<title>Document Analysis API ');
  expect(output).toContain('The page is up to date');

  await edit('title: Document Analysis API', 'title: Edited API');
  await edit('operationId: getCase', 'operationIdentifier: getCase');
  expect(await pageOf(url)).toMatch(
    /<title>Edited API [^]*role="alert">[^]*`operationIdentifier` is not expected here/,
  );
  expect(output).toContain('`operationIdentifier` is not expected here');

  await edit('paths:', 'paths: [');
  expect(await pageOf(url)).toMatch(/^<!doctype html><pre>No page can be made of the document: .* at line/);
  await rename(join(folder, 'openapi/openapi.yaml'), join(folder, 'openapi/gone.yaml'));
  expect(await pageOf(url)).toContain('no such file');
  await rename(join(folder, 'openapi/gone.yaml'), join(folder, 'openapi/openapi.yaml'));

  await edit('paths: [', 'paths:');
  await edit('operationIdentifier: getCase', 'operationId: getCase');
  expect(await pageOf(url)).not.toContain('role="alert"');
});

describeInBrowser('a browser', (open) => {
  test('that shows the page loads it anew', async () => {
    const [, url = ''] = await written(/Preview on (\S+)/);
    const { page } = await open(url, 1280);
    await page.getByRole('main').waitFor();
    await edit('summary: Read a case and its files', 'summary: Read an edited case');
    await page.getByRole('heading', { name: 'Read an edited case' }).waitFor();
  });
});

test('a taken port is told with what to do', async () => {
  const [, port = ''] = await written(/Preview on http:\S+:(\d+)/);
  output = '';
  const second = start(['--port', port]);
  expect(await once(second, 'close')).toEqual([1, null]);
  expect(output).toMatch(/EADDRINUSE.* Choose another port with --port\.\n$/);
});
