import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { type ProgramProcess, serving, startProgram, told, withDataDir } from '../support/process.ts';

/** Has a process say at its end which packages it has loaded. */
const tellPackages = `
  import { createRequire } from 'node:module';
  const { cache } = createRequire('file:///');
  process.on('exit', () => process.stderr.write(Object.keys(cache).join('\\n')));`;

const packages = ['prom-client', '@opentelemetry/sdk-trace-base', '@opentelemetry/exporter-trace-otlp-http'];

const watchedOn = /Probes and metrics on (\S+)\n/;

/** Serves, does the work, stops by SIGTERM, and returns which of the packages were loaded. */
async function packagesOf(environment: NodeJS.ProcessEnv, work: (program: ProgramProcess) => Promise<void>) {
  let loaded: string[] = [];
  await withDataDir(async (dataDir) => {
    const program = startProgram(['serve', '--port', '0', '--data-dir', dataDir], {
      NODE_ENV: 'production',
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(tellPackages)}`,
      ...environment,
    });
    await serving(program);
    await work(program);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    loaded = packages.filter((name) => program.stderr().includes(`node_modules/${name}/`));
  });
  return loaded;
}

test('a server that nobody watches has no operations port, and loads nothing to be watched with', async () => {
  const loaded = await packagesOf({}, ({ stdout }) => {
    expect(stdout()).not.toContain('metrics');
    return Promise.resolve();
  });
  expect(loaded).toEqual([]);
});

test('a server that is watched tells where, and that it is ready', async () => {
  const environment = { OPS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  const loaded = await packagesOf(environment, async (program) => {
    const url = await told(program, watchedOn);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('http_server_active_requests 0');
  });
  expect(loaded).toEqual(packages);
});

test('a server sends its traces through the proxy that its environment names', async () => {
  const received: string[] = [];
  const proxy = createServer((request, response) => {
    received.push(`${String(request.method)} ${String(request.url)}`);
    request.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };
  await packagesOf(environment, async (program) => {
    expect((await fetch(`${await serving(program)}/unknown`)).status).toBe(404);
  });
  proxy.close();
  expect(received).toEqual(['POST http://collector.example:4318/v1/traces']);
});

test('a server whose workers are watched as one adds their metrics up', async () => {
  await withDataDir(async (dataDir) => {
    const program = startProgram(['serve', '--port', '0', '--workers', '2', '--data-dir', dataDir], {
      NODE_ENV: 'production',
      OPS_PORT: '0',
    });
    const api = await serving(program);
    for (let count = 0; count < 6; count += 1)
      expect((await fetch(`${api}/unknown`, { headers: { connection: 'close' } })).status).toBe(404);
    const url = await told(program, watchedOn);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('http_server_request_duration_seconds_count{operation_id="none",status="404"} 6\n');
    expect(metrics).toContain('\nfile_analysis_waiting_files 0\n');
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });
});

test('a server does not start on a database that a newer program has migrated', async () => {
  await withDataDir(async (dataDir) => {
    const args = ['--data-dir', dataDir];
    expect(await startProgram(['organisation', 'create', 'Acme', ...args]).ended).toBe(0);
    const database = new Sqlite(join(dataDir, 'document-analysis-uk.sqlite'));
    database.pragma('user_version = 99');
    database.close();
    const program = startProgram(['serve', '--port', '0', ...args]);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/^error: The database \S+ has schema version 99, .*\n$/);
    expect(program.stdout()).toBe('');
  });
});
