import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { serveHttp } from '../support/misbehaving-servers.ts';
import { type RunningServer, stop, told, startServer } from '../support/process.ts';

/** Has a process say at its end which packages it has loaded. */
const tellPackages = `
  import { createRequire } from 'node:module';
  const { cache } = createRequire('file:///');
  process.on('exit', () => process.stderr.write(Object.keys(cache).join('\\n')));`;

const packages = ['prom-client', '@opentelemetry/sdk-trace-base', '@opentelemetry/exporter-trace-otlp-http'];

/** Serves, does the work, and returns which of the packages were loaded. */
async function packagesOf(environment: NodeJS.ProcessEnv, work: (server: RunningServer) => unknown): Promise<string[]> {
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(tellPackages)}`;
  const server = await startServer({ environment: { NODE_OPTIONS, ...environment } });
  await work(server);
  await stop(server);
  return packages.filter((name) => server.stderr().includes(`node_modules/${name}/`));
}

test('a server that nobody watches has no operations port, and loads nothing to be watched with, or to draw with', async () => {
  const loaded = await packagesOf({}, ({ stdout, child }) => {
    expect(stdout()).not.toContain('metrics');
    // Where the kernel tells what a process has loaded.
    if (!existsSync('/proc/self/maps')) return;
    const maps = readFileSync(`/proc/${child.pid}/maps`, 'utf8');
    expect(maps).toContain('better-sqlite3/prebuilds/');
    expect(maps).not.toMatch(/canvas|skia/);
  });
  expect(loaded).toEqual([]);
});

test('a server that is watched tells where, and that it is ready', async () => {
  const environment = { OPS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  const loaded = await packagesOf(environment, async (server) => {
    const url = await told(server, /Probes and metrics on (\S+)\n/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('http_server_active_requests 0');
  });
  expect(loaded).toEqual(packages);
});

test('a server sends its traces through the proxy that its environment names', async () => {
  const received: string[] = [];
  const proxy = await serveHttp((request, response) => {
    received.push(`${String(request.method)} ${String(request.url)}`);
    request.resume().on('end', () => response.end('{}'));
  });
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy,
  };
  await packagesOf(environment, async ({ url }) => {
    expect((await fetch(`${url}/unknown`)).status).toBe(404);
  });
  expect(received).toEqual(['POST http://collector.example:4318/v1/traces']);
});
