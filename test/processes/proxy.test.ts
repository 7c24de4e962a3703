import { expect, test } from '@jest/globals';
import type { ProxyRecord } from '../../contract/proxy/observe.ts';
import { settingPath } from '../support/harness.ts';
import { serving, startScript, told, withDataDir } from '../support/process.ts';

test('the proxy before the mock reports a wrong request, touches no data, and SIGTERM ends it with its verdict', async () => {
  await withDataDir(async (dataDir) => {
    const environment = { DATA_DIR: `${dataDir}/none`, LOG_LEVEL: 'silent' };
    const mock = startScript('contract/main.ts', ['mock', '--port', '0'], environment);
    const target = await serving(mock);
    const proxy = startScript(
      'contract/main.ts',
      ['proxy', '--target', target, '--port', '0', '--json', '--strict'],
      environment,
    );
    const { url } = JSON.parse(await told(proxy, /^(.*)\n/)) as { url: string };
    const headers = { 'x-api-key': 'a-key-that-nobody-may-see', 'content-type': 'application/json' };
    expect((await fetch(url + settingPath, { headers })).status).toBe(200);
    const wrong = await fetch(url + settingPath, { method: 'PUT', headers, body: '{"enabled":1}' });
    expect(wrong.status).toBe(400);
    proxy.child.kill('SIGTERM');
    expect(await proxy.ended).toBe(1);
    mock.child.kill('SIGTERM');
    expect(await mock.ended).toBe(0);
    const lines = proxy.stdout().trim().split('\n');
    expect(lines).toHaveLength(3);
    expect((JSON.parse(lines[1] ?? '') as ProxyRecord).violations).toEqual([
      { rule: 'body', message: 'the body/enabled must be boolean' },
    ]);
    expect(proxy.stdout() + proxy.stderr()).not.toContain('nobody-may');
  });
});
