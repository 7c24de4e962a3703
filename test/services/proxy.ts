import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Region } from '../../src/domain/region.ts';
import { freePort } from '../../scripts/free-port.ts';
import type { RunningRegion } from './region.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { startListening } from './start.ts';

/** Where a request comes from. */
export interface Source {
  readonly localAddress?: string;
  readonly agent?: Agent;
}

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>;

/** The proxy of compose.yaml, with its own configuration, before servers on this machine. */
export async function startProxy(regions: Record<Region, RunningRegion>) {
  const folder = await makeTemporaryFolder();
  execFileSync('deploy/make-certificates.sh', [folder]);
  const port = await freePort();
  const servers = Object.entries(regions).flatMap(([region, running]) =>
    running.servers.flatMap(({ address, opsPort }, index) => {
      const name = `${region.toUpperCase()}_${index + 1}`;
      return [[name, address] as const, [`${name}_OPS_PORT`, opsPort] as const];
    }),
  );
  /** The certificate authority that its clients must trust. */
  const caFile = join(folder, 'ca.pem');
  const ca = readFileSync(caFile, 'utf8');
  /** Sends a GET request to a host name, over TLS with a certificate that must be good for that name. */
  const get = async (host: string, path: string, headers: Record<string, string> = {}, from: Source = {}) => {
    const lookedUp = { host: '127.0.0.1', port, servername: host, ca, agent: false, ...from } as const;
    const sent = request({ ...lookedUp, path, headers: { host: `${host}:${port}`, ...headers } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await json(response) };
  };
  const command = ['haproxy', '-db', '-f', 'deploy/haproxy.cfg'];
  const { log } = await startListening(command, () => get('api.uk.document-analysis.example', '/'), {
    PATH: process.env['PATH'],
    PROXY_ADDRESS: `127.0.0.1:${port}`,
    PROXY_CERTIFICATE: join(folder, 'proxy.pem'),
    ...Object.fromEntries(servers),
  });
  return { port, caFile, get, log };
}
