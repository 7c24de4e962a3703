import { cp, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { startNode, told } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { describeInBrowser } from './chromium.ts';

const folder = await makeTemporaryFolder();
for (const source of ['openapi', 'generated/openapi.json', 'redocly.yaml'])
  await cp(source, join(folder, source), { recursive: true });
// The rules of Redocly.
await symlink(resolve('scripts'), join(folder, 'scripts'));

/** Runs the preview on the copied sources. */
const start = (port: string) => startNode([resolve('scripts/docs/preview.ts'), '--port', port], {}, { cwd: folder });
const preview = start('0');
const url = await told(preview, /Preview on (\S+)/);
const outputOf = ({ stdout, stderr }: typeof preview) => stdout() + stderr();

async function edit(from: string, to: string): Promise<void> {
  const path = join(folder, 'openapi/openapi.yaml');
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

const pageOf = async (url: string) => (await fetch(url)).text();

test('a taken port is told with what to do; an edit is shown, a mistake is told in the terminal and on the page, and neither ends the preview', async () => {
  expect(await pageOf(url)).toContain('<title>Document Analysis API ');
  expect(outputOf(preview)).toContain('The page is up to date');
  const second = start(new URL(url).port);
  expect([await second.ended, outputOf(second)]).toEqual([
    1,
    expect.stringMatching(/EADDRINUSE.* Choose another port with --port\.\n$/),
  ]);

  await edit('title: Document Analysis API', 'title: Edited API');
  await edit('operationId: getCase', 'operationIdentifier: getCase');
  expect(await pageOf(url)).toMatch(
    /<title>Edited API [^]*role="alert">[^]*`operationIdentifier` is not expected here/,
  );
  expect(outputOf(preview)).toContain('`operationIdentifier` is not expected here');

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
    const { page } = await open(url, 1280);
    await page.getByRole('main').waitFor();
    await edit('summary: Read a case and its files', 'summary: Read an edited case');
    await page.getByRole('heading', { name: 'Read an edited case' }).waitFor();
  });
});
