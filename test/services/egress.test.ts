/** The way out of compose.yaml, with its own configuration. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from '@jest/globals';
import { freePort } from '../../scripts/free-port.ts';
import { serveBytes } from '../support/misbehaving-servers.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { startListening } from './start.ts';

const listed = 'api.company-information.service.gov.uk';
const unlisted = 'elsewhere.example';

let reached = 0;
/** Stands for the port 443 of every host. */
const destination = await serveBytes((socket) => {
  reached += 1;
  socket.destroy();
});
const { port: destinationPort } = new URL(destination);
const folder = await TemporaryFolder.make();
// Squid reads it as a user of its own, if it is started by root.
await chmod(folder.path, 0o755);
const port = await freePort();
const hosts = await folder.write('hosts', `127.0.0.1 ${listed} sub.${listed} ${unlisted}\n`);
const configuration = readFileSync('deploy/egress/squid.conf', 'utf8')
  .replace('http_port 3128', `http_port ${port}`)
  .replace(/port 443$/m, `port ${destinationPort}`);
const path = await folder.write('squid.conf', `${configuration}\nhosts_file ${hosts}\n`);
await startListening(['squid', '-N', '-f', path], () => connect(`${unlisted}:443`));

async function connect(target: string): Promise<number | undefined> {
  const sent = request({ port, method: 'CONNECT', path: target }).end();
  const [response, socket] = (await once(sent, 'connect')) as [IncomingMessage, { destroy: () => void }];
  socket.destroy();
  return response.statusCode;
}

test('lets connections out to one port of the hosts that it lists, and to nothing else', async () => {
  expect(await connect(`${listed}:${destinationPort}`)).toBe(200);
  await until('the destination is reached', () => reached > 0);
  const refused = [
    `${listed}:80`,
    ...[`sub.${listed}`, unlisted, '127.0.0.1'].map((host) => `${host}:${destinationPort}`),
  ];
  for (const path of refused) expect([path, await connect(path)]).toEqual([path, 403]);
  const plain = request({ port, path: `http://${listed}:${destinationPort}/`, headers: { host: listed } }).end();
  const [response] = (await once(plain, 'response')) as [IncomingMessage];
  expect([response.statusCode, reached]).toEqual([403, 1]);
});
