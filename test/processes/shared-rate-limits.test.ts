import { expect, test } from '@jest/globals';
import { settingPath } from '../support/harness.ts';
import { addTenant, startProgram, startServer, stop } from '../support/process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { describeRedisServer } from '../support/describe-redis.ts';
import { makeCertificate, RedisServer } from '../support/redis.ts';

describeRedisServer('a server and its Redis', () => {
  test('TLS is spoken with a certificate of a CA that the operator names, and with no other', async () => {
    const { certificate, key } = await makeCertificate();
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
    const redis = await RedisServer.start(['--tls-auth-clients', 'no', ...files], 'tls-port');
    const REDIS_URL = `rediss://localhost:${redis.port}`;
    const strange = startProgram(['serve', '--port', '0'], { REDIS_URL, DATA_DIR: await makeTemporaryFolder() });
    expect(await strange.ended).toBe(1);
    expect(strange.stderr()).toMatch(
      /self-signed certificate(?:; if the root CA is installed locally, try running Node\.js with --use-system-ca)?\. Name a file with the CA .* NODE_EXTRA_CA_CERTS\.\n$/,
    );

    const program = await startServer({ environment: { REDIS_URL, NODE_EXTRA_CA_CERTS: certificate } });
    const headers = { 'x-api-key': (await addTenant(program.dataDir)).key };
    expect((await fetch(program.url + settingPath, { headers })).status).toBe(200);
    await stop(program);
    expect(program.stderr()).not.toContain('Redis is unavailable');
  });
});
