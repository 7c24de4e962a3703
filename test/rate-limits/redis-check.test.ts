import type { Socket } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { OperatorError } from '../../src/domain/errors.ts';
import { checkRateLimits } from '../../src/rate-limits/rate-limit-store.ts';
import { reasonOf } from '../../src/rate-limits/redis.ts';
import { freePort } from '../../scripts/free-port.ts';
import { describeRedisServer } from '../support/describe-redis.ts';
import { serveBytes } from '../support/misbehaving-servers.ts';
import { RedisServer } from '../support/redis.ts';

const grant = '~document-analysis:* +info +eval +evalsha +set +incrby +pttl +expire';

/** What is told of a Redis before a server starts; undefined if it can be used. */
async function faultOf(redisUrl: URL): Promise<string | undefined> {
  const check = checkRateLimits({ region: 'uk', sharedRateLimits: { redisUrl, whenUnavailable: 'open' } });
  const error: unknown = await check.catch((fault: unknown) => fault);
  if (error === undefined) return undefined;
  expect(error).toBeInstanceOf(OperatorError);
  return (error as Error).message;
}

describeRedisServer('before a server starts, the operator is told what is wrong with Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
    await redis.command('ACL', 'SETUSER', 'fit', 'on', '>pass', ...grant.split(' '));
    await redis.command('ACL', 'SETUSER', 'unfit', 'on', '>pass', '~other:*', '+info');
    await redis.command('ACL', 'SETUSER', 'unknown', 'on', '>pass', ...grant.replace('+info', '').split(/ +/));
  });

  test('nothing, if it can be used, with no more rights than it is told to grant', async () => {
    expect(await faultOf(redis.url())).toBeUndefined();
    expect(await faultOf(redis.url('fit:pass@'))).toBeUndefined();
    const locked = await RedisServer.start(['--requirepass', 's3cret']);
    expect(await faultOf(locked.url(':s3cret@'))).toBeUndefined();
  });

  test.each([
    ['an unknown user', 'nobody:s3cret@', '', 'WRONGPASS .*Check the user name and password'],
    ['a wrong password', 'fit:s3cret@', '', 'WRONGPASS .*Check the user name and password'],
    ['a user without rights', 'unfit:pass@', '', 'NOPERM .*Grant the user: ~document-analysis:\\* \\+info'],
    ['a user who may not ask for the version', 'unknown:pass@', '', 'NOPERM .*Grant the user'],
    ['an unknown database', '', '/99', 'DB index is out of range.*Choose a database that it has'],
  ])('%s', async (_name, credentials, path, told) => {
    const fault = await faultOf(new URL(path, redis.url(credentials)));
    expect(fault).toMatch(new RegExp(`^Redis at 127\\.0\\.0\\.1:\\d+ \\(REDIS_URL\\) cannot be used: .*${told}`));
    expect(fault).not.toMatch(/s3cret|pass@/);
  });

  // The port of the bus of a cluster is by default its own port and 10,000, which may be in use.
  const cluster = ['--cluster-enabled', 'yes', '--cluster-config-file', `document-analysis-nodes-${process.pid}.conf`];
  test.each<[string, () => string[] | Promise<string[]>, RegExp]>([
    ['a missing password', () => ['--requirepass', 's3cret'], /NOAUTH.*Check the user name and password/],
    ['a replica', () => ['--replicaof', '127.0.0.1', String(redis.port)], /READONLY.*Name the primary, not a replica/],
    [
      'a node of a cluster',
      async () => [...cluster, '--cluster-port', String(await freePort())],
      /it is a node of a Redis Cluster\. Use one primary/,
    ],
  ])('%s', async (_name, options, told) => {
    expect(await faultOf((await RedisServer.start(await options())).url())).toMatch(told);
  });

  test('TLS where there is none', async () => {
    const url = new URL(redis.url().href.replace('redis:', 'rediss:'));
    expect(await faultOf(url)).toMatch(/Connection timeout.*Check the host, .* firewalls, and whether it uses TLS/);
  });

  test('one that is full', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    expect(await faultOf(redis.url())).toMatch(/OOM.*Give it more memory/);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  });
});

/** The URL of a server that does this with what each connection sends. */
async function serve(respond: (sent: string, socket: Socket) => unknown): Promise<URL> {
  const url = await serveBytes((socket) =>
    socket.on('data', (sent) => {
      respond(sent.toString(), socket);
    }),
  );
  return new URL(`redis://user:s3cret@${new URL(url).host}`);
}

function ofVersion(info: string): Promise<URL> {
  return serve((sent, socket) => {
    for (const [command] of sent.matchAll(/\*\d+\r\n\$\d+\r\n\w+/g))
      socket.write(/info/i.test(command) ? `$${info.length}\r\n${info}\r\n` : '+OK\r\n');
  });
}

test.each([
  ['redis_version:5.0.14\r\nredis_mode:standalone', 'its version is 5.0.14. Use Redis 6.0 or newer, or Valkey.'],
  ['redis_version:2.8.24', 'its version is 2.8.24. Use Redis 6.0 or newer, or Valkey.'],
  ['something:else', 'its version is unknown. Use Redis 6.0 or newer, or Valkey.'],
  ['redis_version:7.2.4\r\nredis_mode:sentinel', 'it is a sentinel. Name the primary that it watches.'],
])('a server that says %j is refused', async (info, told) => {
  expect(await faultOf(await ofVersion(info))).toContain(`cannot be used: ${told}`);
});

test('the user, password and database are those of the URL, percent-encoded characters included', async () => {
  let commands = '';
  const url = await serve((sent, socket) => {
    commands += sent;
    socket.end();
  });
  await faultOf(Object.assign(url, { username: 'a%2Fb', password: 'p%40ss', pathname: '/3' }));
  expect(commands).toMatch(/AUTH\r\n\$3\r\na\/b\r\n\$4\r\np@ss\r\n[^]*SELECT\r\n\$1\r\n3\r\n/);
});

test('a server that is not Redis is refused, and the password that it repeats is not told', async () => {
  const url = await serve((sent, socket) => socket.write(`-ERR what is ${sent.replace(/\s+/g, ' ')}\r\n`));
  expect(await faultOf(url)).toMatch(/what is .*\*\*\*.*Check the URL\.$/);
  expect(await faultOf(url)).not.toContain('s3cret');
});

test.each<[string, Parameters<typeof serve>[0], RegExp]>([
  ['speaks TLS', (_, socket) => socket.end('\x15\x03\x01'), /Check that it is Redis; if it uses TLS, /],
  ['hangs up', (_, socket) => socket.destroy(), /write rediss:/],
  ['says nothing of itself', (_, socket) => socket.write('$-1\r\n'), /its version is unknown\. Use Redis /],
  ['never responds', () => undefined, /did not respond in time\. Check the host, the port, firewalls/],
])('a server that %s is told with what to check', async (_name, respond, told) => {
  expect(await faultOf(await serve(respond))).toMatch(told);
});

test('nobody at the address', async () => {
  const port = await freePort();
  expect(await faultOf(new URL(`redis://127.0.0.1:${port}`))).toBe(
    `Redis at 127.0.0.1:${port} (REDIS_URL) cannot be used: connect ECONNREFUSED 127.0.0.1:${port}. ` +
      'Check that it runs, and the host and port.',
  );
  expect(await faultOf(new URL('redis://nowhere.invalid'))).toMatch(/ENOTFOUND.*Check the host name\.$/);
  const several = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  expect(reasonOf(several, new URL('redis://127.0.0.1'))).toBe('ECONNREFUSED');
});

test('nothing is looked at if Redis is not configured', async () => {
  await expect(checkRateLimits({ region: 'uk', sharedRateLimits: undefined })).resolves.toBeUndefined();
});
