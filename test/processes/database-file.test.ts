import { chmodSync, chownSync, copyFileSync, globSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { settingPath } from '../support/harness.ts';
import { addDemo, serving, startProgram, stop, told, withDataDir } from '../support/process.ts';
import { until } from '../support/until.ts';

const nobody = 65534;
const readOnlyMode = 0o444;
const ownerMode = 0o600;

/** A file's mode is nothing to root. */
const withoutPrivileges =
  process.getuid?.() === 0
    ? {
        HOME: '/nonexistent',
        NODE_OPTIONS: `--import data:text/javascript,process.setgid(${nobody});process.setuid(${nobody})`,
      }
    : {};

/** A server with the demo data that does not run as root, and what a caller and its operator see of it. */
async function withServer(work: (server: Awaited<ReturnType<typeof start>>) => Promise<void>): Promise<void> {
  await withDataDir(async (folder) => {
    const dataDir = `${folder}/data`;
    const demo = await addDemo(dataDir);
    if (process.getuid?.() === 0) for (const file of globSync(`${folder}{,/**}`)) chownSync(file, nobody, nobody);
    const server = await start(dataDir, demo);
    await work(server);
    await stop(server.program);
  });
}

async function start(dataDir: string, { owner_key: key }: DemoData) {
  const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir], {
    NODE_ENV: 'production',
    OPS_PORT: '0',
    ...withoutPrivileges,
  });
  const url = (await serving(program)) + settingPath;
  const opsUrl = await told(program, /Probes and metrics on (\S+)\n/);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return {
    dataDir,
    file: `${dataDir}/document-analysis-uk.sqlite`,
    program,
    log: program.stderr,
    read: async () => (await fetch(url, { headers })).status,
    update: async () => (await fetch(url, { method: 'PUT', headers, body: '{"enabled":true}' })).status,
    readiness: async () => (await fetch(`${opsUrl}/readyz`)).text(),
  };
}

/** Waits for a text in the log, which is written a tenth of a second at a time. */
async function logged(log: () => string, text: string): Promise<void> {
  await until(
    () => `the log says: ${text}\n${log()}`,
    () => log().includes(text),
  );
}

const ready = '{"status":"ready"}';
const notReady = '{"status":"not ready","not_ready":["store"]}';

test('a server whose data directory was removed confirms no update, is not ready, and says why', async () => {
  await withServer(async ({ dataDir, file, read, update, readiness, log }) => {
    expect([await update(), await readiness()]).toEqual([200, ready]);
    rmSync(dataDir, { recursive: true });
    expect([await update(), await readiness(), await read()]).toEqual([503, notReady, 503]);
    await logged(log, `its file ${file} was removed while it was open. Move the original back, or stop the server`);
  });
});

test.each([
  ['put in the place of', renameSync],
  ['copied over', copyFileSync],
])('a credential that is revoked in the file %s the own gives access to nothing', async (_, put) => {
  await withServer(async ({ dataDir, file, read, update, readiness }) => {
    const other = `${dataDir}/restored.sqlite`;
    copyFileSync(file, other);
    const store = openSqliteStore(other);
    for (const { credential_id: id } of await store.listCredentials())
      await store.revokeCredential(id, new Date().toISOString());
    await store.close();
    expect(await read()).toBe(200);
    put(other, file);
    expect([await update(), await read(), await readiness()]).toEqual([503, 503, notReady]);
  });
});

test('a server whose database is made read-only serves reads alone, and is not ready until it may be written again', async () => {
  await withServer(async ({ file, read, update, readiness, log }) => {
    chmodSync(file, readOnlyMode);
    expect([await update(), await read(), await readiness()]).toEqual([503, 200, notReady]);
    await logged(log, `The database ${file} cannot be used: it is read-only`);
    chmodSync(file, ownerMode);
    expect([await update(), await read(), await readiness()]).toEqual([200, 200, ready]);
  });
});
