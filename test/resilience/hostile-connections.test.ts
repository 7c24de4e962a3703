import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Harness, settingPath, startHarness } from '../support/harness.ts';
import { openBothEnds, openConnection, sendRaw } from '../support/raw-http.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let api: Harness;
let key: string;
beforeAll(async () => {
  api = await startHarness();
  key = await addApiKey(api.store, await addOrganisation(api.store), 'owner');
});

const statuses = async (bytes: string, silentMilliseconds?: number) =>
  (await sendRaw(api.server, bytes, silentMilliseconds)).map(({ status }) => status);
const get = (path: string, ...lines: string[]) => [`GET ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
const put = (body: string, ...lines: string[]) =>
  [`PUT ${settingPath} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...lines, '', body].join('\r\n');

test('a CONNECT whose client resets the connection does the server no harm', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { socket } = await openConnection(api.server);
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.resetAndDestroy());
    await once(socket, 'close');
  }
  expect((await api.call('GET', settingPath, { headers: { 'x-api-key': key } })).status).toBe(200);
});

describe('a connection', () => {
  test('ends after a request to upgrade, so that no body is taken for a request', async () => {
    const { socket, statuses: responded } = await openConnection(api.server);
    socket.write(get('/one', 'Connection: Upgrade', 'Upgrade: h2c') + put('', 'Content-Length: 74'));
    await until('a response', () => responded().length > 0);
    socket.write(get('/i-was-a-body'));
    await sleep(200);
    expect(responded()).toEqual([404]);
    socket.destroy();
  });

  test.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 404],
  ])('responds to an update that waits, while reads go on, before the %s behind it', async (_name, behind, status) => {
    const other = new Sqlite(api.databasePath);
    other.exec('BEGIN IMMEDIATE');
    const responses = statuses(put('{"enabled":true}', `x-api-key: ${key}`, 'Content-Length: 16') + behind, 1500);
    for (let read = 0; read < 10; read += 1)
      expect((await api.call('GET', settingPath, { headers: { 'x-api-key': key } })).status).toBe(200);
    other.close();
    expect(await responses).toEqual([200, status]);
  });

  test('gets no second response when the rest of a completed request is too slow', async () => {
    const { socket, serverSide, statuses: responded } = await openBothEnds(api.server);
    socket.write(put('{', 'Content-Length: 1000'));
    await until('a response', () => responded().length > 0);
    const timeout = Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    api.server.emit('clientError', timeout, serverSide);
    await once(socket, 'close');
    expect(responded()).toEqual([401]);
  });

  test.each([
    ['takes the rest, so that the response is not lost', true],
    ['is cut if the rest does not come', false],
  ])('whose last response comes before the end of the request %s', async (_what, comes) => {
    const { socket, statuses: responded, serverSide } = await openBothEnds(api.server, { allowHalfOpen: true });
    const failed = jest.fn();
    socket.on('error', failed).write(put('{', 'Connection: close', 'Content-Length: 16'));
    await once(socket, 'end');
    expect([serverSide.destroyed, responded()]).toEqual([false, [401]]);
    if (comes) socket.end('"enabled":true}');
    await once(serverSide, 'close');
    socket.destroy();
    expect(failed).not.toHaveBeenCalled();
  });

  test('is cut soon after a refusal that its client does not close', async () => {
    const { socket } = await openConnection(api.server, { allowHalfOpen: true });
    const serverSide = once(api.server, 'connect').then(([, upgraded]) => upgraded as Socket);
    socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    const refused = await serverSide;
    await sleep(1300);
    expect(refused.destroyed).toBe(true);
    socket.destroy();
  });
});

describe('what HTTP forbids is refused', () => {
  const flood = Array.from({ length: 2500 }, () => 'a:');
  const chunked = '10\r\n{"enabled":true}\r\n0\r\n\r\n';

  test('a doubled credential behind thousands of other headers', async () => {
    const [status] = await statuses(get(settingPath, `x-api-key: ${key}`, ...flood, `x-api-key: ${key}`));
    expect(status).toBe(401);
  });

  test('a transfer coding other than chunks', async () => {
    const coded = put(chunked, `x-api-key: ${key}`, 'Transfer-Encoding: gzip, chunked');
    expect(await statuses(coded)).toEqual([415]);
    expect(await statuses(put(chunked, `x-api-key: ${key}`, 'Transfer-Encoding: Chunked'))).toEqual([200]);
  });

  test('chunks of HTTP/1.0, and no request that follows them has an effect', async () => {
    const [before, after] = ['{"enabled":false}', '{"enabled":true} '].map((body) =>
      put(body, `x-api-key: ${key}`, `Content-Length: ${body.length}`),
    );
    expect(await statuses(String(before))).toEqual([200]);
    const old = put(chunked, `x-api-key: ${key}`, 'Connection: keep-alive', 'Transfer-Encoding: chunked');
    expect(await statuses(old.replace('HTTP/1.1', 'HTTP/1.0') + String(after))).toEqual([400]);
    const { body } = await api.call('GET', settingPath, { headers: { 'x-api-key': key } });
    expect(body).toEqual({ enabled: false });
  });

  test.each([
    ['HTTP/1.0', 'Expect: 100-continue', [200]],
    ['HTTP/1.1', 'Expect: 200-ok', [200]],
    ['HTTP/1.1', 'Expect: 100-Continue', [100, 200]],
  ])('with %s, "%s" gets %j', async (version, expectation, expected) => {
    const request = put('{"enabled":true}', `x-api-key: ${key}`, expectation, 'Content-Length: 16');
    expect(await statuses(request.replace('HTTP/1.1', version))).toEqual(expected);
  });
});

describe('a body that is too large', () => {
  const limit = 16 * 1024;
  const bodyOf = (length: number) => '{"enabled":true}'.padStart(length);
  const update = (length: number, ...lines: string[]) => put(bodyOf(length), `x-api-key: ${key}`, ...lines);
  const announced = (length: number) => update(length, `Content-Length: ${length}`);
  const inChunks = (length: number) =>
    put(`${length.toString(16)}\r\n${bodyOf(length)}\r\n0\r\n\r\n`, `x-api-key: ${key}`, 'Transfer-Encoding: chunked');

  test.each([
    ['announced', announced],
    ['chunked', inChunks],
  ])('leaves the connection usable if it was %s', async (_name, of) => {
    expect(await statuses(of(1_000_000) + of(16))).toEqual([413, 200]);
  });

  test('is not asked for, as the largest one is', async () => {
    const expecting = (length: number) => announced(length).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n');
    expect(await statuses(expecting(1_000_000).slice(0, -1_000_000))).toEqual([413]);
    for (const length of [16, limit]) expect(await statuses(expecting(length))).toEqual([100, 200]);
  });
});
