import { chmodSync, chownSync, globSync, readdirSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isSettingUpdate } from '../../src/domain/audit.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { settingPath } from '../support/harness.ts';
import { addTenant, jsonOf, serving, startNode, startServer, stop, told } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

test('a first start in production makes no demo data, and files that only their owner can read', async () => {
  const dataDir = await makeTemporaryFolder();
  chmodSync(dataDir, 0o755);
  await startServer({ dataDir });
  expect(await jsonOf(['organisation', 'list', '--data-dir', dataDir])).toEqual([]);
  for (const file of readdirSync(dataDir)) expect(statSync(join(dataDir, file)).mode & 0o077).toBe(0);
});

test('with fewer descriptors than connections it says so once, and idle connections lock nobody out', async () => {
  const program = startNode(
    ['src/main.ts', 'serve', '--port', '0', '--data-dir', await makeTemporaryFolder()],
    { NODE_ENV: 'production', LOG_LEVEL: 'info' },
    { shell: 'ulimit -n 256 && exec "$0" "$@"' },
  );
  const url = await serving(program);
  const { hostname, port } = new URL(url);
  const idle = Array.from({ length: 800 }, () => connect(Number(port), hostname).on('error', () => undefined));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  for (let request = 0; request < 10; request += 1)
    expect((await fetch(`${url}/thumbnails/${'0'.repeat(40)}.webp`)).status).toBe(404);
  for (const socket of idle) socket.destroy();
  await stop(program);
  const lines = program.stderr().split('\n').slice(0, -1);
  const warnings = lines.filter((line) => !line.includes('request completed'));
  expect(warnings.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      openFiles: 256,
      maxConnections: 192,
      msg: expect.stringContaining('MAX_CONNECTIONS is lowered from 10000 to 192') as unknown,
    }),
  ]);
});

test('two servers that update at the same time leave one audit entry for each, in one order', async () => {
  const first = await startServer();
  const { dataDir } = first;
  const urls = [first.url, (await startServer({ dataDir })).url];
  const { organisationId, key } = await addTenant(dataDir);
  const update = async (server: number, enabled: boolean) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const init = { method: 'PUT', headers, body: JSON.stringify({ enabled }) };
    return (await fetch(`${urls[server]}${settingPath}`, init)).status;
  };
  const clients = Array.from({ length: 16 }, async (_none, client) => {
    const seen: number[] = [];
    while (seen.length < 15) seen.push(await update(client % 2, (client + seen.length) % 4 < 2));
    return seen;
  });
  expect((await Promise.all(clients)).flat()).toEqual(Array(240).fill(200));
  const store = openSqliteStore(join(dataDir, 'document-analysis-uk.sqlite'));
  const entries = (await store.listAuditEntries({ limit: 1000 })).filter(isSettingUpdate).reverse();
  expect(entries).toHaveLength(240);
  let held = false;
  for (const { before, after } of entries) {
    expect(before).toEqual({ enabled: held });
    held = after.enabled;
  }
  expect(await store.readVerificationSetting(organisationId)).toEqual(held);
  await store.close();
});

const nobody = 65534;
/** A file's mode is nothing to root. */
const withoutPrivileges = {
  HOME: '/nonexistent',
  NODE_OPTIONS: `--import data:text/javascript,process.setgid(${nobody});process.setuid(${nobody})`,
};
const ready = '{"status":"ready"}';
const notReady = '{"status":"not ready","not_ready":["store"]}';

/** test/store/sqlite-replaced.test.ts has the file removed and replaced. */
test('a server whose database is made read-only serves reads alone, and is not ready until it may be written again', async () => {
  const folder = await makeTemporaryFolder();
  const dataDir = `${folder}/data`;
  const file = `${dataDir}/document-analysis-uk.sqlite`;
  const { key } = await addTenant(dataDir);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const each of globSync(`${folder}{,/**}`)) chownSync(each, nobody, nobody);
  const environment = { OPS_PORT: '0', ...(isRoot && withoutPrivileges) };
  const program = await startServer({ dataDir, environment });
  const url = program.url + settingPath;
  const ops = await told(program, /Probes and metrics on (\S+)\n/);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const state = async () => [
    (await fetch(url, { method: 'PUT', headers, body: '{"enabled":true}' })).status,
    (await fetch(url, { headers })).status,
    await (await fetch(`${ops}/readyz`)).text(),
  ];

  chmodSync(file, 0o444);
  expect(await state()).toEqual([503, 200, notReady]);
  const reason = `The database ${file} cannot be used: it is read-only`;
  // The log is written a tenth of a second at a time.
  await until(
    () => `the log says: ${reason}\n${program.stderr()}`,
    () => program.stderr().includes(reason),
  );
  chmodSync(file, 0o600);
  expect(await state()).toEqual([200, 200, ready]);
});
