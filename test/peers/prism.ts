import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { freePort } from '../../scripts/free-port.ts';
import { endWithThisProcess, type Peer, documentFile, installed } from './peer.ts';
import { followHappyPaths } from './happy-paths.ts';

/** `prism proxy DOCUMENT URL --errors`, between a plain client and the server. */
export const prism: Peer = {
  name: 'prism',
  title: "Prism's proxy with --errors, before a plain client",
  packages: ['test/peers/node_modules/@stoplight/prism-cli'],
  written: ['test/peers/happy-paths.ts'],
  judge: ({ credentials }, folder) =>
    proxied(credentials.base_url, folder, documentFile, (url) => followHappyPaths(url, credentials)),
};

/** Runs the proxy before a server for as long as a client takes. */
export async function proxied<T>(
  server: string,
  folder: string,
  document: string,
  client: (url: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const program = installed('@stoplight/prism-cli/dist/index.js');
  const args = [program, 'proxy', document, server, '--errors', '--port', String(port)];
  const proxy = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  endWithThisProcess(proxy);
  const closed = once(proxy, 'close');
  try {
    await listening(proxy.stdout);
    return await client(`http://127.0.0.1:${port}`);
  } finally {
    proxy.kill('SIGKILL');
    await closed;
  }
}

function listening(output: Readable): Promise<void> {
  let written = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk: Buffer) => {
      written += chunk.toString();
      if (written.includes('Prism is listening')) resolve();
    });
    output.on('end', () => {
      reject(new Error(`Prism has not started: ${written}`));
    });
  });
}
