import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { type Logger, pino } from 'pino';
import { memoryRateLimits } from '../../src/rate-limits/rate-limit-store.ts';
import { redisRateLimits } from '../../src/rate-limits/redis.ts';
import { afterwards } from '../support/afterwards.ts';
import { type CallResponse, settingPath, startHarness } from '../support/harness.ts';
import { serveBytes } from '../support/misbehaving-servers.ts';
import { describeRedisServer } from '../support/describe-redis.ts';
import { RedisServer } from '../support/redis.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

const lost = 'Redis is unavailable: rate limits are not shared, requests get a 503';
const lostOpen = 'Redis is unavailable: rate limits are not shared, each server counts for itself';
const back = 'Redis is available again: rate limits are shared again';

describeRedisServer('while Redis is unavailable', () => {
  let redis: RedisServer;
  let log: { msg: string; reason?: string }[];
  let logger: Logger;

  beforeEach(async () => {
    log = [];
    logger = pino({ base: null }, { write: (line: string) => log.push(JSON.parse(line) as (typeof log)[0]) });
    redis = await RedisServer.start();
  });

  /** A server that accepts so many requests of a credential, and a call of it with that credential. */
  async function serve(whenUnavailable: 'open' | 'closed', { url = redis.url(), requests = 3 } = {}) {
    const options = { redisUrl: url, whenUnavailable, region: 'uk', local: memoryRateLimits, logger } as const;
    const store = await redisRateLimits(options);
    afterwards(() => store.close());
    const api = await startHarness({ rateLimitStore: store, rateLimits: { requests } });
    const headers = { 'x-api-key': await addApiKey(api.store, await addOrganisation(api.store), 'owner') };
    return Object.assign(() => api.call('GET', settingPath, { headers }), { api });
  }

  const messages = () => log.map(({ msg }) => msg);

  async function statuses(call: () => Promise<CallResponse>, times: number): Promise<number[]> {
    const seen: number[] = [];
    for (let index = 0; index < times; index += 1) seen.push((await call()).status);
    return seen;
  }

  async function until(call: () => Promise<CallResponse>, status: number): Promise<CallResponse> {
    for (;;) {
      const response = await call();
      if (response.status === status) return response;
      await sleep(50);
    }
  }

  test('a closed limit responds with 503 and Retry-After, says so once, and recovers by itself', async () => {
    const call = await serve('closed');
    expect(await statuses(call, 1)).toEqual([200]);
    await redis.stop();
    expect(await statuses(call, 5)).toEqual([503, 503, 503, 503, 503]);
    const { headers, body } = await call();
    expect(body).toMatchObject({ error_code: 'service.unavailable' });
    expect(headers).toMatchObject({ 'retry-after': '5' });
    expect(messages()).toEqual([lost]);
    await redis.start();
    expect((await until(call, 200)).headers).toMatchObject({ ratelimit: '"credential";r=2;t=60' });
    expect(await statuses(call, 3)).toEqual([200, 200, 429]);
    expect(messages()).toEqual([lost, back]);
  });

  test('an open limit is counted in each server, its headers say so, and it is shared again by itself', async () => {
    const call = await serve('open');
    expect(await statuses(call, 3)).toEqual([200, 200, 200]);
    await redis.stop();
    expect((await call()).headers).toMatchObject({ ratelimit: '"credential";r=2;t=60' });
    expect(await statuses(call, 3)).toEqual([200, 200, 429]);
    expect(messages()).toEqual([lostOpen]);
    await redis.start();
    expect((await until(call, 200)).headers).toMatchObject({ ratelimit: '"credential";r=2;t=60' });
    expect(messages()).toEqual([lostOpen, back]);
  });

  test('no request hangs when Redis keeps its connections and sends no response', async () => {
    const call = await serve('closed', { requests: 600 });
    expect(await statuses(call, 1)).toEqual([200]);
    redis.pause();
    const begun = performance.now();
    expect(await statuses(call, 20)).toEqual(Array(20).fill(503));
    expect(performance.now() - begun).toBeLessThan(8000);
    redis.resume();
    await until(call, 200);
    expect(messages()).toEqual([lost, back]);
  });

  test('a server that starts meanwhile serves, and shares its limits when Redis comes', async () => {
    await redis.stop();
    const call = await serve('open');
    expect(await statuses(call, 1)).toEqual([200]);
    await redis.start();
    while (!messages().includes(back)) {
      await call();
      await sleep(50);
    }
    expect(messages()).toEqual([lostOpen, back]);
  });

  test('a Redis that responds but cannot count is unavailable too: a replica after a failover, one without memory', async () => {
    const call = await serve('closed');
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    expect(await statuses(call, 3)).toEqual([503, 503, 503]);
    await redis.command('REPLICAOF', 'NO', 'ONE');
    await until(call, 200);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    expect(await statuses(call, 2)).toEqual([503, 503]);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await until(call, 200);
    expect(messages()).toEqual([lost, back, lost, back]);
    expect(log[0]?.reason).toContain('READONLY');
    expect(log[2]?.reason).toContain('OOM');
  });

  test('after a failover, the primary that has the name now is found', async () => {
    const successor = await RedisServer.start();
    let { port } = redis;
    const name = await serveBytes((socket) => {
      const redisSocket = connect(port, '127.0.0.1');
      for (const [from, to] of [[socket, redisSocket] as const, [redisSocket, socket] as const])
        from.on('error', () => to.destroy()).pipe(to);
    });
    const call = await serve('closed', { url: new URL(`redis://${new URL(name).host}`) });
    expect(await statuses(call, 1)).toEqual([200]);
    port = successor.port;
    await redis.command('REPLICAOF', '127.0.0.1', String(successor.port));
    await until(call, 200);
    expect(messages()).toEqual([lost, back]);
  });

  test('no log holds the password, even if a server repeats what it was sent', async () => {
    const target = await serveBytes((socket) =>
      socket.on('data', (sent) => socket.write(`-ERR what is ${sent.toString().replace(/\s+/g, ' ')}\r\n`)),
    );
    const call = await serve('closed', { url: new URL(`redis://user:pass%20w0rd@${new URL(target).host}`) });
    expect(await statuses(call, 2)).toEqual([503, 503]);
    await call.api.close();
    expect(messages()).toEqual([lost]);
    expect(log[0]?.reason).toContain('***');
    expect(JSON.stringify([log, call.api.log])).not.toMatch(/pass( |%20)w0rd/);
  });
});
