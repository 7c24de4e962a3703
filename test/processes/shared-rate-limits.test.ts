import { join } from 'node:path';
import { randomInt } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { settingPath } from '../support/harness.ts';
import { serving, startProgram, stop, withDataDir } from '../support/process.ts';
import { describeRedis, describeRedisServer } from '../support/describe-redis.ts';
import { redisUrl, RedisServer, withCertificate } from '../support/redis.ts';
import { addApiKey, addOrganisation } from '../support/tenants.ts';

/** Makes an API key in a data directory. */
async function issueKey(dataDir: string): Promise<string> {
  const store = openSqliteStore(join(dataDir, 'document-analysis-uk.sqlite'));
  const key = await addApiKey(store, await addOrganisation(store), 'owner');
  await store.close();
  return key;
}

const start = (dataDir: string, environment: NodeJS.ProcessEnv, args: string[] = []) =>
  startProgram(['serve', '--port', '0', '--data-dir', dataDir, ...args], environment);

describeRedis('several servers that share Redis', () => {
  test('let exactly as many requests pass as the limit says, and as many failed authentications', async () => {
    await withDataDir(async (dataDir) => {
      const key = await issueKey(dataDir);
      const programs = Array.from({ length: 4 }, () =>
        start(dataDir, {
          REDIS_URL: redisUrl.href,
          RATE_LIMIT_REQUESTS: '70',
          RATE_LIMIT_FAILED_AUTHENTICATIONS: '50',
          RATE_LIMIT_WINDOW_SECONDS: '600',
          TRUST_PROXY: 'loopback',
        }),
      );
      const urls = await Promise.all(programs.map(serving));
      // The first request of a process takes long.
      await Promise.all(urls.map((url) => fetch(url + settingPath, { headers: { 'x-forwarded-for': '203.0.113.1' } })));
      const statuses = async (headers: Record<string, string>) => {
        const responses = urls.flatMap((url) =>
          Array.from({ length: 30 }, () => fetch(url + settingPath, { headers })),
        );
        const seen = (await Promise.all(responses)).map(({ status }) => status);
        return Object.fromEntries(
          [200, 401, 429].map((status) => [status, seen.filter((one) => one === status).length]),
        );
      };
      expect(await statuses({ 'x-api-key': key })).toEqual({ 200: 70, 401: 0, 429: 50 });
      const client = `198.51.${randomInt(256)}.${randomInt(256)}, 127.0.0.1`;
      expect(await statuses({ 'x-forwarded-for': client })).toEqual({ 200: 0, 401: 50, 429: 70 });
      await Promise.all(programs.map((program) => stop(program)));
    });
  });
});

describeRedisServer('a server and its Redis', () => {
  test('TLS is spoken with a certificate of a CA that the operator names, and with no other', async () => {
    await withCertificate(async ({ certificate, key }) => {
      const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
      const redis = await RedisServer.start(['--tls-auth-clients', 'no', ...files], 'tls-port');
      await withDataDir(async (dataDir) => {
        const REDIS_URL = `rediss://localhost:${redis.port}`;
        const strange = start(dataDir, { REDIS_URL });
        expect(await strange.ended).toBe(1);
        expect(strange.stderr()).toMatch(
          /self-signed certificate(?:; if the root CA is installed locally, try running Node\.js with --use-system-ca)?\. Name a file with the CA .* NODE_EXTRA_CA_CERTS\.\n$/,
        );

        const program = start(dataDir, { REDIS_URL, NODE_EXTRA_CA_CERTS: certificate });
        const headers = { 'x-api-key': await issueKey(dataDir) };
        expect((await fetch((await serving(program)) + settingPath, { headers })).status).toBe(200);
        await stop(program);
        expect(program.stderr()).not.toContain('Redis is unavailable');
      });
      await redis.stop();
    });
  });
});
