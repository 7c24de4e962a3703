import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/runtime/config.ts';

describe('readConfig', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      production: false,
      region: 'uk',
      host: '127.0.0.1',
      port: 8080,
      databasePath: 'data/document-analysis-uk.sqlite',
      files: { folder: 'data/document-analysis-uk-files', maxBytes: 67_108_864, thumbnailBaseUrl: undefined },
      logLevel: 'info',
      rateLimits: {
        ...{ requests: 600, failedAuthentications: 30, publicRequests: 600, otherRequests: 3000 },
        windowSeconds: 60,
      },
      sharedRateLimits: undefined,
      trustedProxies: [],
      allowedOrigins: [],
      maxConcurrentRequests: 1000,
      maxConnections: 10_000,
      drainDelaySeconds: 0,
      ops: undefined,
      traces: undefined,
      companyRegistry: { kind: 'local' },
      registryResultMaxAgeMilliseconds: 86_400_000,
      vatRegistry: { kind: 'none' },
    });
  });

  test('reads every variable', () => {
    const environment = {
      NODE_ENV: 'production',
      REGION: 'ca',
      HOST: '::',
      PORT: '0',
      DATA_DIR: '/var/lib/x',
      MAX_FILE_BYTES: '1000',
      THUMBNAIL_BASE_URL: 'https://files.example/ca/',
      LOG_LEVEL: 'silent',
      REGISTRY_RESULT_MAX_AGE: '30m',
      RATE_LIMIT_REQUESTS: '1',
      RATE_LIMIT_FAILED_AUTHENTICATIONS: '2',
      RATE_LIMIT_PUBLIC_REQUESTS: '8',
      RATE_LIMIT_OTHER_REQUESTS: '9',
      RATE_LIMIT_WINDOW_SECONDS: '3',
      RATE_LIMIT_WHEN_UNAVAILABLE: 'closed',
      REDIS_URL: 'rediss://user:secret@redis.example:6380/2',
      TRUST_PROXY: '10.0.0.0/8, loopback',
      CORS_ALLOWED_ORIGINS: 'https://app.example, http://localhost:5173,',
      MAX_CONCURRENT_REQUESTS: '4',
      MAX_CONNECTIONS: '5',
      DRAIN_DELAY_SECONDS: '6',
      OPS_HOST: '0.0.0.0',
      OPS_PORT: '7',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t0ken, x-tenant=a=b,',
    };
    expect(readConfig(environment)).toEqual({
      production: true,
      region: 'ca',
      host: '::',
      port: 0,
      databasePath: '/var/lib/x/document-analysis-ca.sqlite',
      files: {
        folder: '/var/lib/x/document-analysis-ca-files',
        maxBytes: 1000,
        thumbnailBaseUrl: 'https://files.example/ca',
      },
      logLevel: 'silent',
      allowedOrigins: ['https://app.example', 'http://localhost:5173'],
      rateLimits: { requests: 1, failedAuthentications: 2, publicRequests: 8, otherRequests: 9, windowSeconds: 3 },
      sharedRateLimits: { redisUrl: new URL('rediss://user:secret@redis.example:6380/2'), whenUnavailable: 'closed' },
      trustedProxies: ['10.0.0.0/8', 'loopback'],
      maxConcurrentRequests: 4,
      maxConnections: 5,
      drainDelaySeconds: 6,
      ops: { host: '0.0.0.0', port: 7 },
      traces: { headers: { authorization: 'Bearer t0ken', 'x-tenant': 'a=b' } },
      companyRegistry: { kind: 'local' },
      registryResultMaxAgeMilliseconds: 1_800_000,
      vatRegistry: { kind: 'none' },
    });
  });

  test('lets a flag win over its variable', () => {
    const environment = { REGION: 'uk', PORT: '1', HOST: 'a', DATA_DIR: 'b' };
    const config = readConfig(environment, { region: 'ca', port: '2', host: 'c', dataDir: 'd' });
    expect(config).toMatchObject({ region: 'ca', port: 2, host: 'c', databasePath: 'd/document-analysis-ca.sqlite' });
  });

  test.each([
    ['*', 'name each origin, such as https://app.example; * is not allowed'],
    [
      'https://app.example/',
      'list origins such as https://app.example, with commas between them, not "https://app.example/": write https://app.example',
    ],
    ['https://App.example:443', ', not "https://App.example:443": write https://app.example'],
    ['https://app.example,http://u:p@b.example/x?y', ': write http://b.example'],
    ['https://*.example', '; * is not allowed'],
    ['app.example', ', not "app.example"'],
    ['null', ', not "null"'],
    ['https://a.example https://b.example', ', not "https://a.example https://b.example"'],
    ['ftp://a.example', ', not "ftp://a.example"'],
  ])('refuses the allowed origins %s', (text, message) => {
    expect(() => readConfig({ CORS_ALLOWED_ORIGINS: text })).toThrow(message);
  });

  test('is frozen', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
    expect(Object.isFrozen(readConfig({}).rateLimits)).toBe(true);
  });

  test.each([
    ['PORT', 0, 65_535],
    ['RATE_LIMIT_REQUESTS', 1, 1_000_000_000],
    ['RATE_LIMIT_FAILED_AUTHENTICATIONS', 1, 1_000_000_000],
    ['RATE_LIMIT_PUBLIC_REQUESTS', 1, 1_000_000_000],
    ['RATE_LIMIT_OTHER_REQUESTS', 1, 1_000_000_000],
    ['RATE_LIMIT_WINDOW_SECONDS', 1, 86_400],
    ['AUTH_CLOCK_SKEW_SECONDS', 0, 300],
    ['MAX_CONCURRENT_REQUESTS', 1, 1_000_000],
    ['MAX_CONNECTIONS', 1, 1_000_000],
    ['DRAIN_DELAY_SECONDS', 0, 3600],
    ['OPS_PORT', 0, 65_535],
    ['DATABASE_POOL_SIZE', 1, 1000],
    ['MAX_FILE_BYTES', 1, 2 ** 30],
  ])('accepts %s from %d to %d', (name, smallest, largest) => {
    for (const value of [smallest, largest]) expect(() => readConfig({ [name]: String(value) })).not.toThrow();
    for (const value of [smallest - 1, largest + 1])
      expect(() => readConfig({ [name]: String(value) })).toThrow(
        `${name} must be a whole number from ${smallest} to ${largest}, not "${value}"`,
      );
  });

  test.each([
    ['0s', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['30d', 2_592_000_000],
  ])('reads %s as a length of time', (text, milliseconds) => {
    const { registryResultMaxAgeMilliseconds: read } = readConfig({ REGISTRY_RESULT_MAX_AGE: text });
    expect(read).toBe(milliseconds);
  });

  test.each(['24', 'h', '-1h', '1.5h', '24 h', '3w', '31d', ''])('refuses %j as a length of time', (text) => {
    expect(() => readConfig({ REGISTRY_RESULT_MAX_AGE: text })).toThrow(
      `REGISTRY_RESULT_MAX_AGE must be a time from 0s to 30d, such as 30m or 24h, not "${text}"`,
    );
  });

  test.each([
    ...['65536', '-1', '1.5', '1e3', ' 80', '80 ', '0x50', ''].map((text) => ['PORT', text, 'a whole number']),
  ] as [string, string, string][])('refuses %s %j: it must be %s', (name, text, wanted) => {
    expect(() => readConfig({ [name]: text })).toThrow(`${name} must be ${wanted}`);
  });

  test.each(['redis://h', 'redis://h/', 'redis://:p%40ss@h:1/15', 'rediss://u:p@[::1]:6379'])(
    'finds Redis at %s, and counts alone while it is unavailable',
    (url) => {
      const expected = { redisUrl: new URL(url), whenUnavailable: 'open' };
      expect(readConfig({ REDIS_URL: url }).sharedRateLimits).toEqual(expected);
    },
  );

  test.each([
    ['http://:s3cret@h', 'must be a URL of the form redis://'],
    ['s3cret', 'must be a URL of the form redis://'],
    ['redis:s3cret', 'must be a URL of the form redis://'],
    ['redis://:s3cret', 'must be a URL of the form redis://'],
    ['redis://u:s3cret/x@h', 'must be a URL of the form redis://'],
    ['redis://:s3cret@h/zero', 'must end after the host and port'],
    ['redis://:s3cret@h?tls=no', 'must end after the host and port'],
    ['redis://h#s3cret', 'must end after the host and port'],
    ['redis://:s3cret%zz@h', 'must have a user name and password in which each %'],
    ['', 'must be a URL of the form redis://'],
  ])('does not find Redis at %s, and the refusal does not repeat its password', (url, message) => {
    expect(() => readConfig({ REDIS_URL: url })).toThrow(`REDIS_URL ${message}`);
    expect(() => readConfig({ REDIS_URL: url })).not.toThrow('s3cret');
  });

  test.each(['', 'proxy.example', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.1,', '1'])('trusts no proxy at %j', (proxies) => {
    expect(() => readConfig({ TRUST_PROXY: proxies })).toThrow('TRUST_PROXY must list addresses or networks');
  });
});

test.each([
  ...['', 'files.example', 'ftp://files.example', 'https://u:s3cret@files.example', 'https://h/?a', 'https://h/#a'],
])('lets no thumbnail be at %j', (url) => {
  const read = () => readConfig({ THUMBNAIL_BASE_URL: url });
  expect(read).toThrow('THUMBNAIL_BASE_URL must be a URL of http or https, without user name, password,');
  expect(read).not.toThrow('s3cret');
});

test('lets a thumbnail be at no address that the contract has no room for', () => {
  const read = (length: number) => readConfig({ THUMBNAIL_BASE_URL: 'https://files.example/'.padEnd(length, 'x') });
  expect(read(1900).files.thumbnailBaseUrl).toHaveLength(1900);
  expect(() => read(1901)).toThrow('THUMBNAIL_BASE_URL must have at most 1900 characters');
});

test.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
  'sends traces if %s says where',
  (name) => {
    expect(readConfig({ [name]: '' }).traces).toBeUndefined();
    expect(readConfig({ [name]: 'http://collector:4318' }).traces).toEqual({ headers: {} });
    for (const endpoint of ['nonsense', 'grpc://secret@collector', 'http://secret@collector:99999'])
      expect(() => readConfig({ [name]: endpoint })).toThrow(new ConfigError(`${name} must be a URL of http or https`));
  },
);

test.each(['s3cret', '=s3cret', 's3cret=', 'a=%s3cret', 'a b=s3cret', 'a=s3 cret'])(
  'refuses the headers of traces %j without repeating them',
  (text) => {
    const read = () => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: text });
    expect(read).toThrow(/^OTEL_EXPORTER_OTLP_HEADERS must list headers with commas between them/);
    expect(read).not.toThrow('s3');
  },
);

test('finds PostgreSQL where DATABASE_URL says, and a replica of it where DATABASE_READ_URL does', () => {
  const url = 'postgres://user:p%40ss@db.example/cases?sslmode=verify-full';
  const alone = { url, readUrl: undefined, poolSize: 10, pooled: false };
  expect(readConfig({ DATABASE_URL: url }).database).toEqual(alone);
  const readUrl = 'postgresql://[::1]:5433/cases';
  const pool = { DATABASE_POOL_SIZE: '3', DATABASE_POOLER: 'transaction' };
  const environment = { DATABASE_URL: url, DATABASE_READ_URL: readUrl, ...pool };
  expect(readConfig(environment).database).toEqual({ url, readUrl, poolSize: 3, pooled: true });
  const refused = 'DATABASE_POOLER must be one of none, transaction, not "session"';
  expect(() => readConfig({ DATABASE_POOLER: 'session' })).toThrow(refused);
  expect(Object.isFrozen(readConfig(environment).database)).toBe(true);
});

test.each([
  ['', /^DATABASE_URL must be a URL such as postgres:\/\/user:password@host:5432\/database\./],
  ['mysql://u:secret@h/d', /must be a URL such as/],
  ['secret', /must be a URL such as/],
  ['postgres://u:sec#ret@h/d', /percent-encode each of \/ \? # @ : and %$/],
  ['postgres://u:12/secret@h/d', /after the host\. In a password, percent-encode/],
  ['postgres://u:12?secret@h/d', /after the host/],
  ['postgres://u:12#secret@h/d', /after the host/],
  ['postgres://u:secret%@h/d', /has an invalid percent-encoding/],
  ['postgres://u:secret@h:5432/', /names no database\. Add it after the host, as in postgres:/],
  ['postgres://u:secret@h', /names no database/],
  ['postgres://u:secret@h/?database=d', /names no database/],
  [
    'postgres://u:secret@h/d?sslmode=full',
    /sslmode that does not exist\. Choose one of disable, no-verify, .*verify-full$/,
  ],
])('refuses the DATABASE_URL %s without repeating any of it', (url, message) => {
  const read = () => readConfig({ DATABASE_URL: url });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/sec/);
});

test('refuses a replica of no database', () => {
  expect(() => readConfig({ DATABASE_READ_URL: 'postgres://h/d' })).toThrow(
    'DATABASE_URL is required if DATABASE_READ_URL is set',
  );
});

test('keeps files in the data directory also beside a database', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://h/d' }, { dataDir: 'x' });
  expect(config.files.folder).toBe('x/document-analysis-uk-files');
});
