import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { settingPath } from '../support/harness.ts';
import { openConnection } from '../support/raw-http.ts';
import { addTenant, startServer } from '../support/process.ts';
import { until } from '../support/until.ts';

const clients = 50;

/** One request of a keep-alive client: its response, or the code of the error that it met in place of one. */
async function request(url: URL, key: string, agent: Agent): Promise<IncomingMessage | string> {
  try {
    const sent = get(url, { agent, headers: { 'x-api-key': key } });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

test('SIGTERM under load: each request gets a response, the last of a connection says so, no new one is taken', async () => {
  const environment = { RATE_LIMIT_REQUESTS: '1000000' };
  const { child, ended, url: base, dataDir } = await startServer({ environment });
  const { key } = await addTenant(dataDir);
  const url = new URL(settingPath, base);
  const responded = Array<number>(clients).fill(0);
  const untilRefused = async (_none: unknown, client: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let last: IncomingMessage | undefined; ; responded[client] = (responded[client] ?? 0) + 1) {
      const outcome = await request(url, key, agent);
      if (typeof outcome === 'string') return [outcome, last?.headers.connection];
      expect(outcome.statusCode).toBe(200);
      last = outcome;
    }
  };
  const outcomes = Array.from({ length: clients }, untilRefused);
  await until('each client has ten responses', () => responded.every((count) => count >= 10));
  child.kill('SIGTERM');
  for (const [code, last] of await Promise.all(outcomes)) {
    expect(last).toBe('close');
    // A new connection that the operating system took for the server just before the port was closed is reset.
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(code);
  }
  expect(await ended).toBe(0);
});

/** An update that waits for its server to ask for the body. */
const put = (key: string, body: string) =>
  `PUT ${settingPath} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nContent-Type: application/json\r\n` +
  `Content-Length: 16\r\nExpect: 100-continue\r\n\r\n${body}`;

test('SIGTERM: each of the requests sent in one go gets a response, and a client that never ends its request is given up', async () => {
  const { child, ended, url, dataDir } = await startServer();
  const { key } = await addTenant(dataDir);
  const [{ socket: stuck }, { socket: begun, responses }] = [await openConnection(url), await openConnection(url)];
  stuck.write(put(key, '{'));
  const read = `GET ${settingPath} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n\r\n`;
  begun.write(read);
  // The server has both connections, and not the operating system alone.
  await Promise.all([once(stuck, 'data'), once(begun, 'data')]);
  // An idle connection would be closed a second after SIGTERM, which a loaded machine may take to go on here.
  begun.write(read.slice(0, 10));
  child.kill('SIGTERM');
  const refused = async () => (await request(new URL(url), key, new Agent())) === 'ECONNREFUSED';
  await until('the port is closed', refused, 5);
  begun.write(read.slice(10) + read.repeat(2));
  await once(begun, 'close');
  expect(responses().map(({ status, headers }) => `${status} ${headers['connection']}`)).toEqual([
    ...['200 keep-alive', '200 keep-alive', '200 keep-alive', '200 close'],
  ]);
  await once(stuck, 'close');
  expect(await ended).toBe(0);
});

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s, sent again and again, cuts no request in flight',
  async (signal) => {
    const { child, ended, url, dataDir } = await startServer();
    const { key } = await addTenant(dataDir);
    const { socket, text } = await openConnection(url);
    socket.write(put(key, '{"ena'));
    await until('the body is asked for', () => text().includes('100 Continue'), 5);
    for (let times = 0; times < 3; times += 1) {
      child.kill(signal);
      await sleep(100);
    }
    socket.write('bled":true}');
    await once(socket, 'close');
    expect(text()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(await ended).toBe(0);
  },
);
