import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { expectConformance, type Harness, settingPath, startHarness } from '../support/harness.ts';
import { openBothEnds, openConnection } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { addAccessToken, addApiKey, addOrganisation, buildCase } from '../support/tenants.ts';

/** Larger than what the buffers of the operating system hold between a server and a client that reads nothing. */
const largeCase = buildCase([], { metadata: { text: 'x'.repeat(16 * 1024 * 1024) } });

let api: Harness;
let key: string;
let token: string;
beforeAll(async () => {
  api = await startHarness({
    maxConcurrentRequests: 1,
    clientLimits: {
      ...{ headersTimeout: 400, requestTimeout: 800, keepAliveTimeout: 200, timeout: 500 },
      connectionsCheckingInterval: 50,
    },
  });
  const organisationId = await addOrganisation(api.store);
  key = await addApiKey(api.store, organisationId, 'owner');
  token = await addAccessToken(api.store, organisationId);
  await api.store.importCases(organisationId, [largeCase]);
});

/** Sends bytes, reads all that comes until the server closes the connection, and holds each response to the document. */
async function untilClosed(bytes: string, trickle = ''): Promise<number[]> {
  const { socket, responses, statuses } = await openConnection(api.server);
  socket.write(bytes);
  const drops = trickle === '' ? undefined : setInterval(() => socket.write(trickle), 50);
  await once(socket, 'close');
  clearInterval(drops);
  for (const response of responses()) expectConformance('PUT', settingPath, response);
  return statuses();
}

const logged = (text: string) => until(`the log has ${text}`, () => api.log.some((line) => line.includes(text)), 5);

/** Calls until the one place is free: on a loaded machine, a call may itself be too slow for the limits of this server. */
const untilServed = () =>
  until(
    'a call is served',
    async () => (await api.call('GET', settingPath, { headers: { 'x-api-key': key } })).status === 200,
  );

const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
const put = (credential: string) =>
  head('PUT', settingPath, `x-api-key: ${credential}`, 'Content-Type: application/json', 'Content-Length: 1000');

/** A client that asks for a large case and does not read it, the connection as the server has it, and when it asked. */
async function readingNothing({ server }: Harness) {
  const { socket, serverSide: accepted } = await openBothEnds(server);
  const since = performance.now();
  socket.pause().write(head('GET', `/cases/${largeCase.case_id}`, `Authorization: Bearer ${token}`));
  return { accepted, socket, since };
}

describe('a client is given up that', () => {
  test.each([
    ['sends nothing', () => '', '', 408],
    ['sends its header section byte by byte', () => 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'x', 408],
    ['is silent after a response', () => head('GET', settingPath, `x-api-key: ${key}`), '', 200],
  ])('%s', async (_what, sent, trickle, status) => {
    expect(await untilClosed(sent(), trickle)).toEqual([status]);
  });

  test('sends its body byte by byte, and its place is free again', async () => {
    expect(await untilClosed(put(key), ' ')).toEqual([408]);
    await logged('"status":408');
    await untilServed();
  });

  test('does not read its response, and its place is free again', async () => {
    const { accepted, socket } = await readingNothing(api);
    if (!accepted.closed) await once(accepted, 'close');
    await logged('"status":200,"aborted":true');
    socket.destroy();
    await untilServed();
  });
});

describe('a client that takes the only place of a server loses it to the next request', () => {
  let server: Harness;
  beforeEach(async () => {
    const openStore = () => Promise.resolve(openSqliteStore(api.databasePath));
    server = await startHarness({ maxConcurrentRequests: 1, openStore });
  });

  /** The statuses of requests that others send, one every tenth of a second, until one is served. */
  async function statusesUntilServed(): Promise<number[]> {
    const { status } = await server.call('GET', settingPath, { headers: { 'x-api-key': key } });
    if (status === 200) return [status];
    await sleep(100);
    return [status, ...(await statusesUntilServed())];
  }

  /** @param since when its request was sent: a client that has not waited a second yet keeps its place */
  async function expectToBeCut(socket: Socket, since: number): Promise<void> {
    const closed = once(socket, 'close');
    const statuses = await statusesUntilServed();
    expect(performance.now() - since).toBeGreaterThanOrEqual(1000);
    expect(statuses).toEqual([...statuses.slice(1).map(() => 503), 200]);
    await closed;
    const cut = server.log.filter((line) => line.includes('"overloaded":true,') && !line.includes('"status":503'));
    expect(cut).toHaveLength(1);
  }

  test('if it does not send its body', async () => {
    const { socket } = await openConnection(server.server);
    const since = performance.now();
    socket.write(put(key).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
    await once(socket, 'data');
    await expectToBeCut(socket, since);
  });

  test('if it does not read its response', async () => {
    const { accepted, socket, since } = await readingNothing(server);
    while (accepted.bytesWritten === 0) await sleep(5);
    await expectToBeCut(accepted, since);
    socket.destroy();
  });
});
