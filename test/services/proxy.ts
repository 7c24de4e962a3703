import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Region } from '../../src/domain/region.ts';
import { freePort } from '../../scripts/free-port.ts';
import type { RunningRegion } from './region.ts';
import { afterwards } from '../support/afterwards.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** What came back through the proxy. */
export interface ProxyResponse {
  readonly status: number | undefined;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: unknown;
}

/** Where a request comes from. */
export interface Source {
  readonly localAddress?: string;
  readonly agent?: Agent;
}

/** The proxy of compose.yaml, with its own configuration, before servers on this machine. */
export interface RunningProxy {
  readonly port: number;
  /** The certificate authority that its clients must trust. */
  readonly caFile: string;
  /**
   * Sends a GET request to a host name, over TLS with a certificate that must be good for that name: from another address of
   * this machine if one is named, and over the connections of an agent if one is given.
   */
  get(host: string, path: string, headers?: Record<string, string>, from?: Source): Promise<ProxyResponse>;
  log(): string;
}

export async function startProxy(regions: Record<Region, RunningRegion>): Promise<RunningProxy> {
  const folder = await makeTemporaryFolder();
  execFileSync('deploy/make-certificates.sh', [folder]);
  const port = await freePort();
  const servers = Object.entries(regions).flatMap(([region, running]) =>
    running.servers.flatMap(({ address, opsPort }, index) => {
      const name = `${region.toUpperCase()}_${index + 1}`;
      return [[name, address] as const, [`${name}_OPS_PORT`, opsPort] as const];
    }),
  );
  const child = spawn('haproxy', ['-db', '-f', 'deploy/haproxy.cfg'], {
    env: {
      PATH: process.env['PATH'],
      PROXY_ADDRESS: `127.0.0.1:${port}`,
      PROXY_CERTIFICATE: join(folder, 'proxy.pem'),
      ...Object.fromEntries(servers),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const ended = once(child, 'close');
  afterwards(() => {
    child.kill();
    return ended;
  });
  const caFile = join(folder, 'ca.pem');
  const ca = readFileSync(caFile, 'utf8');
  const proxy: RunningProxy = {
    port,
    caFile,
    log: () => log,
    get: async (host, path, headers = {}, from = {}) => {
      const lookedUp = { host: '127.0.0.1', port, servername: host, ca, agent: false, ...from } as const;
      const sent = request({ ...lookedUp, path, headers: { host: `${host}:${port}`, ...headers } }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: response.statusCode, headers: response.headers, body: await json(response) };
    },
  };
  while (!(await proxy.get('api.uk.document-analysis.example', '/').then(Boolean, () => false))) {
    if (child.exitCode !== null) throw new Error('The proxy ended before it listened.');
    await sleep(50);
  }
  return proxy;
}
