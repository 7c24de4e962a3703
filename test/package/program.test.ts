/** The server's package in a project that has installed it: bundled, and started by its launcher. */
import { existsSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { serving, startNode, stop } from '../support/process.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { pdfOf } from '../support/write-pdf.ts';
import { installForUser, run as runFile } from './packed.ts';

const user = await installForUser('.');
const main = join(user.installed, 'dist/main.js');

async function run(args: string[], environment?: NodeJS.ProcessEnv) {
  const { ended, stdout, stderr } = startNode(args, environment);
  return { code: await ended, stdout: stdout(), stderr: stderr() };
}

/** A module for `--import`. */
const preload = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;

describe('a project that has installed it', () => {
  test('reads the document, and reaches nothing else', async () => {
    await writeFile(
      join(user.project, 'user.mjs'),
      `import { readFileSync } from 'node:fs';
       import { createRequire } from 'node:module';
       const inner = await import('document-analysis-api/dist/program.js').catch(({ code }) => code);
       const { resolve } = createRequire(import.meta.url);
       const { openapi } = JSON.parse(readFileSync(resolve('document-analysis-api/openapi.json'), 'utf8'));
       const [version] = readFileSync(resolve('document-analysis-api/openapi.yaml'), 'utf8').split('\\n');
       console.log(JSON.stringify([openapi, version, inner]));`,
    );
    const { stdout } = await runFile(process.execPath, ['user.mjs'], { cwd: user.project });
    expect(JSON.parse(stdout)).toEqual(['3.0.3', 'openapi: 3.0.3', 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
  });

  test('has the program, which makes data, reads it and imports a case', async () => {
    const options = ['--data-dir', join(user.project, 'data')];
    expect((await run([main, '--version'])).stdout).toBe(`${user.manifest.version}\n`);
    expect(await run([main, 'demo', '--json', ...options])).toMatchObject({ code: 0 });
    const { stdout } = await run([main, 'organisation', 'list', '--json', ...options]);
    const organisations = JSON.parse(stdout) as { name: string; organisation_id: string }[];
    const { organisation_id: id = '' } = organisations.find(({ name }) => name === 'Demo') ?? {};
    const cases = join(user.project, 'cases.json');
    await writeFile(cases, '[{ "created_at": "2026-03-02T09:15:00Z", "files": [] }]');
    const imported = await run([main, 'case', 'import', cases, '--organisation', id, ...options]);
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('Imported 1 case') });
  });
});

describe('its program', () => {
  test('serves, its child processes draw and read a file, and its log has lines of JSON alone', async () => {
    const folder = await TemporaryFolder.make();
    const region = ['--data-dir', join(folder.path, 'data')];
    const deprecation = "setInterval(() => process.emitWarning('planted', 'DeprecationWarning'), 1000).unref()";
    // Before the server: its log is about what it does itself.
    const demo = JSON.parse((await run([main, 'demo', '--json', ...region])).stdout) as Record<string, string>;
    const command = ['--import', preload(deprecation), main, 'serve', '--port', '0', ...region];
    const server = startNode(command, { NODE_ENV: 'production' });
    const url = await serving(server);
    expect((await fetch(`${url}/organisations/features/verification`)).status).toBe(401);
    const file = await folder.write('invoice.pdf', pdfOf(['VAT registration number: GB 123 4567 82']));
    const emptyCase = String(demo['empty_case_id']);
    const added = await run([main, 'file', 'add', emptyCase, file, ...region], { THUMBNAIL_BASE_URL: url });
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const headers = { Authorization: `Bearer ${String(demo['access_token'])}` };
    const analysed = await until('the file is analysed', async () => {
      const response = await fetch(`${url}/cases/${emptyCase}`, { headers });
      const { files } = (await response.json()) as { files: { analysis_status: string; thumbnail_url: string }[] };
      return files.find(({ analysis_status: status }) => status.startsWith('analysis_'));
    });
    expect(analysed.analysis_status).toBe('analysis_complete');
    expect((await fetch(analysed.thumbnail_url)).headers.get('content-type')).toBe('image/webp');
    await stop(server);
    const lines = server.stderr().trimEnd().split('\n');
    expect(lines.filter((line) => !line.startsWith('{"level":30,'))).toEqual([]);
  });

  test('the stack of an unexpected error names the source file', async () => {
    const fault = preload("Object.defineProperty(process, 'argv', { get() { throw new Error('planted'); } })");
    const { code, stderr } = await run(['--import', fault, main, '--version']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Error: planted\n(.*\n)*.*\/src\/main\.ts:\d+:\d+/);
  });

  test('on a Node.js that is too old it says which it needs, and without the files of the build that', async () => {
    const old = preload(
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.13.1' } })",
    );
    expect(await run(['--import', old, main, '--version'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: document-analysis needs Node.js 22.14 or newer, and this is 22.13.1.\n',
    });
    const folder = await TemporaryFolder.make();
    await folder.write('package.json', '{ "type": "module" }');
    const alone = join(folder.path, 'main.js');
    await cp(main, alone);
    const told = /^error: document-analysis is not built or not installed whole: run npm run build, or install /;
    expect(await run([alone, '--version'])).toMatchObject({ code: 2, stderr: expect.stringMatching(told) });
  });

  test.each([
    ['cannot be written', { XDG_CACHE_HOME: '/dev/null' }],
    ['can have no folder', { XDG_CACHE_HOME: '/proc' }],
    ['has no home', { XDG_CACHE_HOME: '', HOME: '' }],
  ])('the cache of compiled code is done without if it %s', async (_why, environment) => {
    const outcome = await run([main, '--version'], { NODE_COMPILE_CACHE: '', ...environment });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync('.cache')).toBe(false);
  });
});
