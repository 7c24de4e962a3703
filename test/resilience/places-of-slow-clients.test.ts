/** Clients that take all places of a server, and then neither send nor read, lose them to the next requests. */
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { addAccessToken, addApiKey, addOrganisation, buildCase } from '../support/tenants.ts';

let api: Harness;
let key: string;
beforeEach(async () => {
  api = await startHarness({ maxConcurrentRequests: 1 });
  key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
});
afterEach(() => api.close());

async function connected(): Promise<Socket> {
  const socket = connect((api.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** The statuses of requests that others send, one every tenth of a second, until one is served. */
async function statusesUntilServed(): Promise<number[]> {
  const { status } = await api.call('GET', settingPath, { headers: { 'x-api-key': key } });
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
  const cut = api.log.filter((line) => line.includes('"overloaded":true,') && !line.includes('"status":503'));
  expect(cut).toHaveLength(1);
}

test('a client that does not send its body', async () => {
  const socket = await connected();
  const since = performance.now();
  const lines = [`PUT ${settingPath} HTTP/1.1`, 'Host: x', `x-api-key: ${key}`, 'Content-Type: application/json'];
  socket.write([...lines, 'Content-Length: 1000', 'Expect: 100-continue', '', ''].join('\r\n'));
  await once(socket, 'data');
  await expectToBeCut(socket, since);
});

test('a client that does not read its response', async () => {
  const organisationId = await addOrganisation(api.store);
  const token = await addAccessToken(api.store, organisationId);
  // Larger than the buffers of the operating system between a server and a client.
  const stored = buildCase([], { metadata: { text: 'x'.repeat(32 * 1024 * 1024) } });
  await api.store.importCases(organisationId, [stored]);
  const [[accepted], socket] = await Promise.all([once(api.server, 'connection') as Promise<[Socket]>, connected()]);
  const since = performance.now();
  const lines = [`GET /cases/${stored.case_id} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`];
  socket.pause().write([...lines, '', ''].join('\r\n'));
  while (accepted.bytesWritten === 0) await sleep(5);
  await expectToBeCut(accepted, since);
  socket.destroy();
});
