/** The contract package as its user gets it, who has neither the server nor Dredd beside it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { compareWithGuide, installForUser, type PackageUser, run, tool } from './packed.ts';

let user: PackageUser;
beforeAll(async () => {
  user = await installForUser('contract');
});
afterAll(() => user.remove());

const program = () => join(user.installed, 'bin.js');

describe('the package holds', () => {
  test('the files that its README names, and no sources', async () => {
    const { unnamed, absent } = compareWithGuide(user.packed, await readFile('contract/README.md', 'utf8'));
    expect({ unnamed, absent }).toEqual({ unnamed: [], absent: [] });
    expect(user.packed.filter((path) => path.endsWith('.ts'))).toEqual([]);
  });

  test('imports of its dependencies, all of them and no others', async () => {
    const { metafile } = await build({
      entryPoints: [join(user.installed, 'dist/main.js')],
      bundle: true,
      packages: 'external',
      external: ['./replay/run-dredd.js'],
      platform: 'node',
      format: 'esm',
      outdir: user.project,
      metafile: true,
      write: false,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const external = imports.filter(
      ({ path, external }) => external === true && !isBuiltin(path) && !path.startsWith('.'),
    );
    const names = new Set(external.map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path));
    expect([...names].sort()).toEqual(Object.keys(user.manifest.dependencies).sort());
  });
});

test('in an empty folder npm installs it, alone, with few packages and little', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-empty-'));
  const startedAt = performance.now();
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', user.tarball], { cwd: folder });
  const seconds = (performance.now() - startedAt) / 1000;
  const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: object;
  };
  const bytes = Number((await run('du', ['-sb', join(folder, 'node_modules')])).stdout.split('\t')[0]);
  const packages = Object.keys(lock.packages).length;
  console.error(`npm install: ${seconds.toFixed(1)} s, ${packages} packages, ${(bytes / 1e6).toFixed(1)} MB`);
  expect(packages).toBeLessThanOrEqual(120);
  expect(bytes).toBeLessThanOrEqual(60e6);
  const { stdout } = await run('npx', ['document-analysis-contract', 'check', '--list'], { cwd: folder });
  expect(stdout).toMatch(/^replay\.getVerificationSetting\.200 {2}/);
  await rm(folder, { recursive: true });
});

describe('it is found faultless', () => {
  test('by publint', async () => {
    expect((await run(tool('publint'), ['run', user.tarball, '--strict'])).stdout).toContain('All good!');
  });

  test('by attw, for users of ES modules', async () => {
    const { stdout } = await run(tool('attw'), [user.tarball, '--profile', 'esm-only', '--format', 'ascii']).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).not.toMatch(/❌|💀/);
  });
});

describe('its program', () => {
  test('has help for each command', async () => {
    expect((await run(process.execPath, [program(), '--help'])).stdout).toMatch(/check .*\n[^]*mock .*\n[^]*proxy /);
    for (const command of ['check', 'mock', 'proxy'])
      expect((await run(process.execPath, [program(), command, '--help'])).stdout).toContain(
        `Usage: document-analysis-contract ${command}`,
      );
  });

  test('mocks, and proxies to the mock', async () => {
    const mock = await start(['mock', '--port', '0'], /on (http:\S+)/);
    const proxy = await start(['proxy', '--target', mock.url, '--port', '0'], /Proxying (http:\S+)/);
    const headers = { 'x-api-key': 'any' };
    const response = await fetch(`${proxy.url}/organisations/features/verification`, { headers });
    expect([response.status, await response.json()]).toEqual([200, { enabled: false }]);
    expect(await stop(proxy.child)).toBe(0);
    expect(await stop(mock.child)).toBe(0);
  });

  test('checks a server without Dredd, and tells how to get it if it is asked for', async () => {
    const target = await startOwnTarget();
    try {
      const file = join(user.project, 'credentials.json');
      await writeFile(file, JSON.stringify(target.credentials));
      const args = [
        'check',
        '--url',
        target.credentials.base_url,
        '--credentials',
        file,
        '--html',
        join(user.project, 'a.html'),
      ];
      const { stdout } = await run(process.execPath, [program(), ...args]);
      expect(stdout).toMatch(/\nreplay +12 +0 +9\n/);
      expect(stdout).toMatch(/\n\d+ passed, 0 failed, \d+ skipped\n$/);
      const { dependencies } = JSON.parse(
        await readFile('contract/replay/package.json', 'utf8'),
      ) as PackageUser['manifest'];
      expect(user.manifest.peerDependencies).toEqual(dependencies);
      const asked = await run(process.execPath, [program(), ...args, '--dredd', '--only', 'replay.*,explored.*']);
      expect(asked.stdout).toContain(
        `\n  Dredd is not installed: npm install dredd@${user.manifest.peerDependencies['dredd'] ?? ''} (12 checks)\n`,
      );
    } finally {
      await target.close();
    }
  });
});

async function start(args: string[], pattern: RegExp): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program(), ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += String(chunk);
      const url = pattern.exec(text)?.[1];
      if (url !== undefined) resolve({ child, url });
    });
    child.once('exit', () => {
      reject(new Error(`it has ended: ${text}`));
    });
  });
}

async function stop(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  return (await ended)[0];
}
