import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { freePort } from '../../scripts/free-port.ts';
import { afterwards } from './afterwards.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const given = process.env['TEST_REDIS_URL'];

/** A Redis that the tests share with whoever else uses it. */
export const redisUrl = new URL(given ?? 'redis://127.0.0.1:6379');

/** Why tests cannot share a Redis; undefined if they can. */
export const noRedis = await responds(redisUrl).catch((error: unknown) => {
  if (given !== undefined) throw error;
  return 'no Redis responds on 127.0.0.1:6379; name one with TEST_REDIS_URL';
});

/** Why there can be no Redis of their own for tests; undefined if there can. */
export const noRedisServer = isInstalled('redis-server') ? undefined : 'redis-server is not installed';

/** A Redis server that a test has for itself. It keeps nothing when it is stopped. */
export class RedisServer {
  readonly port: number;
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, settings: readonly string[]) {
    this.port = port;
    this.#settings = settings;
  }

  /** Starts a server with these settings on a free port, without TLS or with. */
  static async start(args: readonly string[] = [], portSetting: 'port' | 'tls-port' = 'port'): Promise<RedisServer> {
    const port = await freePort();
    const settings = ['--port', '0', `--${portSetting}`, String(port), '--save', '', ...args];
    const server = new RedisServer(port, settings);
    await server.start();
    afterwards(() => server.stop());
    return server;
  }

  url(credentials = ''): URL {
    return new URL(`redis://${credentials}127.0.0.1:${this.port}`);
  }

  async start(): Promise<void> {
    const server = spawn('redis-server', this.#settings, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] });
    this.#process = server;
    let text = '';
    server.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    while (!text.includes('Ready to accept connections')) {
      if (server.exitCode !== null) throw new Error(`redis-server ended: ${text}`);
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    const server = this.#process;
    if (server?.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }

  /** Has it keep its connections and send no response. */
  pause(): void {
    this.#process?.kill('SIGSTOP');
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  async command(name: string, ...args: string[]): Promise<unknown> {
    const redis = await connectRedis(this.url());
    try {
      return await redis.sendCommand([name, ...args]);
    } finally {
      redis.destroy();
    }
  }
}

/** Makes a certificate for `localhost` that signs itself, in files of a folder of its own. */
export async function makeCertificate(): Promise<{ certificate: string; key: string }> {
  const folder = await TemporaryFolder.make();
  const files = { certificate: join(folder.path, 'certificate.pem'), key: join(folder.path, 'key.pem') };
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const output = ['-keyout', files.key, '-out', files.certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...output], {
    stdio: 'ignore',
  });
  return files;
}

export async function connectRedis(url: URL) {
  const redis = createClient({ url: url.href, RESP: 2, disableClientInfo: true, socket: { reconnectStrategy: false } });
  redis.on('error', () => undefined);
  return redis.connect();
}

async function responds(url: URL): Promise<undefined> {
  (await connectRedis(url)).destroy();
}

export function isInstalled(program: string, argument = '--version'): boolean {
  return spawnSync(program, [argument]).status === 0;
}
