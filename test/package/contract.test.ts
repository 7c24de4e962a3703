/** The contract package as its user gets it, who has neither the server nor Dredd beside it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startOwnTarget } from '../../scripts/own-target.ts';
import { afterwards } from '../support/afterwards.ts';
import { startNode, stop, told } from '../support/process.ts';
import { installForUser, manifestOf, run } from './packed.ts';

const user = await installForUser('contract');
const program = join(user.installed, 'bin.js');

describe('its program', () => {
  test('says which Node.js it needs', async () => {
    const old = "data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })";
    await expect(run(process.execPath, ['--import', old, program, '--version'])).rejects.toMatchObject({
      code: 2,
      stderr: 'error: document-analysis-contract needs Node.js 22.12 or newer\n',
    });
  });

  test('mocks, and proxies to the mock', async () => {
    const mock = startNode([program, 'mock', '--port', '0']);
    const target = await told(mock, /on (http:\S+)/);
    const proxy = startNode([program, 'proxy', '--target', target, '--port', '0']);
    const url = await told(proxy, /Proxying (http:\S+)/);
    const headers = { 'x-api-key': 'any' };
    const response = await fetch(`${url}/organisations/features/verification`, { headers });
    expect([response.status, await response.json()]).toEqual([200, { enabled: false }]);
    await stop(proxy, 'SIGINT');
    await stop(mock, 'SIGINT');
  });

  test('checks a server without Dredd, and tells how to get it if it is asked for', async () => {
    const target = await startOwnTarget();
    afterwards(() => target.close());
    const file = join(user.project, 'credentials.json');
    await writeFile(file, JSON.stringify(target.credentials));
    const given = ['--url', target.credentials.base_url, '--credentials', file, '--timeout-seconds', '60'];
    const only = ['--only', 'replay.*,rules,generated,explored.getCase.success'];
    const args = ['check', ...given, '--html', join(user.project, 'a.html')];
    const { stdout } = await run(process.execPath, [program, ...args, ...only]);
    expect(stdout).toMatch(/\nreplay +12 +0 +9\n/);
    expect(stdout).toMatch(/\n\d+ passed, 0 failed, \d+ skipped\n$/);
    const { dependencies } = await manifestOf('contract/replay');
    expect(user.manifest.peerDependencies).toEqual(dependencies);
    const asked = await run(process.execPath, [program, ...args, '--dredd', '--only', 'replay.*,explored.*']);
    expect(asked.stdout).toContain(
      `\n  Dredd is not installed: npm install dredd@${user.manifest.peerDependencies['dredd'] ?? ''} (21 checks)\n`,
    );
  });
});
