import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConformance, type Harness, settingPath, startHarness } from '../support/harness.ts';
import { parseResponses } from '../support/raw-http.ts';
import { addAccessToken, addApiKey, addOrganisation, buildCase } from '../support/tenants.ts';

/** Sizes past what the buffers of the operating system hold between a server and a client that reads nothing. */
const largeCase = { metadata: { text: 'x'.repeat(32 * 1024 * 1024) } };

let api: Harness;
let key: string;
beforeAll(async () => {
  api = await startHarness({
    maxConcurrentRequests: 1,
    clientLimits: {
      headersTimeout: 400,
      requestTimeout: 800,
      keepAliveTimeout: 200,
      timeout: 500,
      connectionsCheckingInterval: 50,
    },
  });
  key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
});
afterAll(() => api.close());

const connected = async (): Promise<Socket> => {
  const socket = connect((api.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
};

/** Sends bytes, reads all that comes until the server closes the connection, and holds each response to the document. */
async function untilClosed(bytes: string, trickle = ''): Promise<number[]> {
  const socket = await connected();
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.write(bytes);
  const drops = trickle === '' ? undefined : setInterval(() => socket.write(trickle), 50);
  await once(socket, 'close');
  clearInterval(drops);
  const responses = parseResponses(text);
  for (const response of responses) expectConformance('PUT', settingPath, response);
  return responses.map(({ status }) => status);
}

const logged = async (text: string): Promise<void> => {
  while (!api.log.some((line) => line.includes(text))) await sleep(5);
};

const head = (method: string, path: string, ...lines: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
const put = (credential: string) =>
  head('PUT', settingPath, `x-api-key: ${credential}`, 'Content-Type: application/json', 'Content-Length: 1000');

describe('a client is given up that', () => {
  test('sends nothing', async () => {
    expect(await untilClosed('')).toEqual([408]);
  });

  test('sends its header section byte by byte', async () => {
    expect(await untilClosed('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'x')).toEqual([408]);
  });

  test('sends its body byte by byte, and its place is free again', async () => {
    expect(await untilClosed(put(key), ' ')).toEqual([408]);
    await logged('"status":408');
    expect((await api.call('GET', settingPath, { headers: { 'x-api-key': key } })).status).toBe(200);
  });

  test('is silent after a response', async () => {
    expect(await untilClosed(head('GET', settingPath, `x-api-key: ${key}`))).toEqual([200]);
  });

  test('does not read its response, and its place is free again', async () => {
    const organisationId = await addOrganisation(api.store);
    const token = await addAccessToken(api.store, organisationId);
    const stored = buildCase([], largeCase);
    await api.store.importCases(organisationId, [stored]);
    const [accepted, socket] = await Promise.all([once(api.server, 'connection') as Promise<[Socket]>, connected()]);
    const closed = once(accepted[0], 'close');
    socket.pause().write(head('GET', `/cases/${stored.case_id}`, `Authorization: Bearer ${token}`));
    await closed;
    await logged('"status":200,"aborted":true');
    socket.destroy();
    expect((await api.call('GET', settingPath, { headers: { 'x-api-key': key } })).status).toBe(200);
  });
});
