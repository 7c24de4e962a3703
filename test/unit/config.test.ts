import { describe, expect, test } from '@jest/globals';
import { ConfigError, readConfig, secretVariables } from '../../src/runtime/config.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const folder = await TemporaryFolder.make();

test('every variable has a default', () => {
  const counts = { requests: 600, failedAuthentications: 30, publicRequests: 600, otherRequests: 3000 };
  expect(readConfig({})).toEqual({
    production: false,
    region: 'uk',
    host: '127.0.0.1',
    port: 8080,
    databasePath: 'data/document-analysis-uk.sqlite',
    files: { folder: 'data/document-analysis-uk-files', maxBytes: 67_108_864, thumbnailBaseUrl: undefined },
    logLevel: 'info',
    rateLimits: { ...counts, windowSeconds: 60 },
    trustedProxies: [],
    allowedOrigins: [],
    maxConcurrentRequests: 1000,
    maxConnections: 10_000,
    drainDelaySeconds: 0,
    companyRegistry: { kind: 'local' },
    registryResultMaxAgeMilliseconds: 86_400_000,
    vatRegistry: { kind: 'none' },
  });
  for (const part of [readConfig({}), readConfig({}).rateLimits]) expect(Object.isFrozen(part)).toBe(true);
});

const provider = {
  AUTH_JWKS_URL: 'https://login.example/keys',
  AUTH_ISSUER: 'https://login.example/',
  AUTH_AUDIENCE: 'https://api.uk.document-analysis.example',
};
const postgres = 'postgres://user:p%40ss@db.example/cases?sslmode=verify-full';
const companies = { COMPANY_REGISTRY: 'http', COMPANY_REGISTRY_KEY: 'b4e52f0a-1c7d' };
const vat = { VAT_REGISTRY: 'http', VAT_REGISTRY_CLIENT_ID: 'client', VAT_REGISTRY_CLIENT_SECRET: 's3cret' };
const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
const companiesUrl = 'https://api.company-information.service.gov.uk';
const vatUrl = 'https://api.service.hmrc.gov.uk';
const sandbox = 'https://test-api.service.hmrc.gov.uk';
const local = 'http://127.0.0.1:3000/proxy';
const elsewhere = 'https://files.example/'.padEnd(1900, 'x');

type Row = [NodeJS.ProcessEnv, object];
test.each<Row>([
  [
    {
      ...{ NODE_ENV: 'production', REGION: 'ca', HOST: '::', PORT: '0', DATA_DIR: '/var/lib/x', LOG_LEVEL: 'silent' },
      ...{
        MAX_FILE_BYTES: '1000',
        THUMBNAIL_BASE_URL: 'https://files.example/ca/',
        OPS_HOST: '0.0.0.0',
        OPS_PORT: '7',
      },
      ...{ RATE_LIMIT_REQUESTS: '1', RATE_LIMIT_FAILED_AUTHENTICATIONS: '2', RATE_LIMIT_WINDOW_SECONDS: '3' },
      ...{ RATE_LIMIT_PUBLIC_REQUESTS: '8', RATE_LIMIT_OTHER_REQUESTS: '9', TRUST_PROXY: '10.0.0.0/8, loopback' },
      ...{ MAX_CONCURRENT_REQUESTS: '4', MAX_CONNECTIONS: '5', DRAIN_DELAY_SECONDS: '6' },
      CORS_ALLOWED_ORIGINS: 'https://app.example, http://localhost:5173,',
    },
    {
      ...{ production: true, region: 'ca', host: '::', port: 0, logLevel: 'silent', ops: { host: '0.0.0.0', port: 7 } },
      databasePath: '/var/lib/x/document-analysis-ca.sqlite',
      files: {
        ...{ folder: '/var/lib/x/document-analysis-ca-files', maxBytes: 1000 },
        thumbnailBaseUrl: 'https://files.example/ca',
      },
      rateLimits: { requests: 1, failedAuthentications: 2, publicRequests: 8, otherRequests: 9, windowSeconds: 3 },
      trustedProxies: ['10.0.0.0/8', 'loopback'],
      allowedOrigins: ['https://app.example', 'http://localhost:5173'],
      ...{ maxConcurrentRequests: 4, maxConnections: 5, drainDelaySeconds: 6 },
    },
  ],
  [{ THUMBNAIL_BASE_URL: elsewhere }, { files: { thumbnailBaseUrl: elsewhere } }],
  [
    { REDIS_URL: 'rediss://user:secret@redis.example:6380/2', RATE_LIMIT_WHEN_UNAVAILABLE: 'closed' },
    { sharedRateLimits: { redisUrl: new URL('rediss://user:secret@redis.example:6380/2'), whenUnavailable: 'closed' } },
  ],
  ...['redis://h', 'redis://h/', 'redis://:p%40ss@h:1/15', 'rediss://u:p@[::1]:6379'].map((url): Row => [
    { REDIS_URL: url },
    { sharedRateLimits: { redisUrl: new URL(url), whenUnavailable: 'open' } },
  ]),
  [
    { ...collector, OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t0ken, x-tenant=a=b,' },
    { traces: { headers: { authorization: 'Bearer t0ken', 'x-tenant': 'a=b' } } },
  ],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318' }, { traces: { headers: {} } }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '' }, { traces: undefined }],
  ...Object.entries({ '0s': 0, '90s': 90_000, '30m': 1_800_000, '12h': 43_200_000, '30d': 2_592_000_000 }).map(
    ([age, time]): Row => [{ REGISTRY_RESULT_MAX_AGE: age }, { registryResultMaxAgeMilliseconds: time }],
  ),
  [
    { DATABASE_URL: postgres },
    { database: { url: postgres, poolSize: 10, pooled: false }, files: { folder: 'data/document-analysis-uk-files' } },
  ],
  [
    { DATABASE_URL: 'postgresql://[::1]:5433/cases', DATABASE_POOL_SIZE: '3', DATABASE_POOLER: 'transaction' },
    { database: { url: 'postgresql://[::1]:5433/cases', poolSize: 3, pooled: true } },
  ],
  [
    provider,
    {
      identityProvider: {
        keysUrl: new URL(provider.AUTH_JWKS_URL),
        issuer: 'https://login.example/',
        audience: 'https://api.uk.document-analysis.example',
        organisationClaim: 'organisation_id',
        algorithms: ['RS256'],
        clockSkewSeconds: 30,
      },
    },
  ],
  [
    { ...provider, AUTH_ORGANISATION_CLAIM: 'urn:o', AUTH_ALGORITHMS: 'ES256, PS256', AUTH_CLOCK_SKEW_SECONDS: '0' },
    { identityProvider: { organisationClaim: 'urn:o', algorithms: ['PS256', 'ES256'], clockSkewSeconds: 0 } },
  ],
  ...['http://localhost:9000/keys', 'http://127.0.0.1/keys', 'http://127.9.8.7/keys', 'http://[::1]:1/keys'].map(
    (url): Row => [{ ...provider, AUTH_JWKS_URL: url }, { identityProvider: { keysUrl: new URL(url) } }],
  ),
  [{ COMPANY_REGISTRY: 'local' }, { companyRegistry: { kind: 'local' } }],
  [companies, { companyRegistry: { kind: 'http', url: new URL(companiesUrl), apiKey: 'b4e52f0a-1c7d' } }],
  [{ ...companies, COMPANY_REGISTRY_URL: local }, { companyRegistry: { url: new URL(local) } }],
  [vat, { vatRegistry: { kind: 'http', url: new URL(vatUrl), clientId: 'client', clientSecret: 's3cret' } }],
  [{ ...vat, VAT_REGISTRY_URL: sandbox }, { vatRegistry: { url: new URL(sandbox) } }],
])('the configuration is read from %o', (environment, expected) => {
  expect(readConfig(environment)).toMatchObject(expected);
});

test('a flag overrides its variable', () => {
  const environment = { REGION: 'uk', PORT: '1', HOST: 'a', DATA_DIR: 'b' };
  const config = readConfig(environment, { region: 'ca', port: '2', host: 'c', dataDir: 'd' });
  expect(config).toMatchObject({ region: 'ca', port: 2, host: 'c', databasePath: 'd/document-analysis-ca.sqlite' });
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
])('%s is a whole number from %d to %d', (name, smallest, largest) => {
  for (const value of [smallest, largest]) expect(() => readConfig({ [name]: String(value) })).not.toThrow();
  const rule = `${name} must be a whole number from ${smallest} to ${largest}`;
  for (const text of [smallest - 1, largest + 1, '-1', '1.5', '1e3', ' 80', '80 ', '0x50', ''].map(String))
    expect(() => readConfig({ [name]: text })).toThrow(`${rule}, not "${text}"`);
});

/** What is wrong with these values, after the name of the variable, which may need others. */
const refusals: [name: string, message: string | RegExp, values: string[], others?: NodeJS.ProcessEnv][] = [
  ['CORS_ALLOWED_ORIGINS', 'must name each origin, such as https://app.example; * is not allowed', ['*', 'http://*.x']],
  [
    'CORS_ALLOWED_ORIGINS',
    'must list origins such as https://app.example, with commas between them, not "https://app.example/": write https://app.example',
    ['https://app.example/'],
  ],
  ['CORS_ALLOWED_ORIGINS', /443": write https:\/\/app\.example$/, ['https://App.example:443']],
  ['CORS_ALLOWED_ORIGINS', /": write http:\/\/b\.example$/, ['https://app.example,http://u:p@b.example/x?y']],
  [
    'CORS_ALLOWED_ORIGINS',
    /^must list origins .*, not "[^"]*"$/,
    ['app.example', 'null', 'https://a.example https://b.example', 'ftp://a.example'],
  ],
  [
    'REGISTRY_RESULT_MAX_AGE',
    /^must be a time from 0s to 30d, such as 30m or 24h, not ".*"$/,
    ['24', 'h', '-1h', '1.5h', '24 h', '3w', '31d', ''],
  ],
  [
    'REDIS_URL',
    /^must be a URL of the form redis:\/\//,
    ['http://:s3cret@h', 's3cret', 'redis:s3cret', 'redis://:s3cret', 'redis://u:s3cret/x@h', ''],
  ],
  ['REDIS_URL', /^must end after the host and port/, ['redis://:s3cret@h/a', 'redis://h?s3cret', 'redis://h#s3cret']],
  ['REDIS_URL', /^must have a user name and password in which each %/, ['redis://:s3cret%zz@h']],
  ['TRUST_PROXY', /^must list addresses or networks/, ['', 'a.example', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.1,', '1']],
  [
    'THUMBNAIL_BASE_URL',
    'must be a URL of http or https, without user name, password, query and fragment',
    ['', 'files.example', 'ftp://files.example', 'https://u:s3cret@files.example', 'https://h/?a', 'https://h/#a'],
  ],
  // The contract has no room for more.
  ['THUMBNAIL_BASE_URL', 'must have at most 1900 characters', [`${elsewhere}x`]],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].map((name): (typeof refusals)[0] => [
    name,
    'must be a URL of http or https',
    ['nonsense', 'grpc://s3cret@collector', 'http://s3cret@collector:99999'],
  ]),
  [
    'OTEL_EXPORTER_OTLP_HEADERS',
    /^must list headers with commas between them/,
    ['s3cret', '=s3cret', 's3cret=', 'a=%s3cret', 'a b=s3cret', 'a=s3cret s3cret'],
  ],
  ['DATABASE_POOLER', 'must be one of none, transaction, not "session"', ['session']],
  ['DATABASE_URL', /^must be a URL such as postgres:\/\/user:password@host/, ['', 'mysql://u:s3cret@h/d', 's3cret']],
  [
    'DATABASE_URL',
    /after the host\. In a password, percent-encode each of \/ \? # @ : and %$/,
    ['#', '/', '?'].map((character) => `postgres://u:12${character}s3cret@h/d`),
  ],
  ['DATABASE_URL', /percent-encode each of \/ \? # @ : and %$/, ['postgres://u:s3cret#ret@h/d']],
  ['DATABASE_URL', /^has an invalid percent-encoding/, ['postgres://u:s3cret%@h/d']],
  [
    'DATABASE_URL',
    /^names no database\. Add it after the host, as in postgres:/,
    ['postgres://u:s3cret@h:5432/', 'postgres://u:s3cret@h', 'postgres://u:s3cret@h/?database=d'],
  ],
  [
    'DATABASE_URL',
    /sslmode that does not exist\. Choose one of disable, no-verify, .*verify-full$/,
    ['postgres://u:s3cret@h/d?sslmode=full'],
  ],
  ...Object.keys(provider).map((name): (typeof refusals)[0] => [name, /^must /, [''], provider]),
  [
    'AUTH_JWKS_URL',
    'must be a URL of https (or of http on localhost), without a user name and password',
    [
      ...['http://login.example/keys', 'http://localhost.example/keys', 'http://127.0.0.1.example/keys'],
      ...['ftp://login.example/keys', 'file:///etc/keys.json', 'https://name@login.example/keys'],
      ...['https://:s3cret@login.example/keys', 'login.example/keys'],
    ],
    provider,
  ],
  [
    'AUTH_ALGORITHMS',
    /^must list some of RS256, PS256, ES256, EdDSA, with commas between them/,
    ['none', 'HS256', 'RS256,HS512', 'RS256,none', 'rs256', 'RS256,', ''],
  ],
  ['COMPANY_REGISTRY', 'must be one of local, http, not "other"', ['other']],
  ['COMPANY_REGISTRY_KEY', /^contradicts COMPANY_REGISTRY=local: /, ['s3cret']],
  ['COMPANY_REGISTRY_URL', /^contradicts COMPANY_REGISTRY=local: /, [companiesUrl]],
  ['COMPANY_REGISTRY_URL', /^must be a URL of https/, ['http://a.example'], companies],
  ['COMPANY_REGISTRY_KEY', 'must be visible ASCII characters without a colon', ['a s3cret', 's3cret:x'], companies],
  ['VAT_REGISTRY', 'must be one of none, http, not "other"', ['other'], vat],
  ['VAT_REGISTRY_URL', /^must be a URL of https/, ['http://a.example'], vat],
  ['VAT_REGISTRY_CLIENT_SECRET', 'must be visible ASCII characters', ['a s3cret'], vat],
  ['VAT_REGISTRY_URL', /^contradicts VAT_REGISTRY=none: /, [vatUrl]],
  ['VAT_REGISTRY_CLIENT_ID', /^contradicts VAT_REGISTRY=none: /, ['client']],
  ['VAT_REGISTRY_CLIENT_SECRET', /^contradicts VAT_REGISTRY=none: /, ['s3cret']],
];
test.each(refusals)('%s %s: %j', (...[name, message, values, others]) => {
  for (const value of values) {
    const [mistake = '', ...more] = mistakesOf({ ...others, [name]: value });
    expect([mistake.slice(0, name.length), more]).toEqual([name, []]);
    const told = mistake.slice(name.length + 1);
    if (typeof message === 'string') expect(told).toBe(message);
    else expect(told).toMatch(message);
    expect(told).not.toContain('s3cret');
  }
});

test.each<[string, NodeJS.ProcessEnv]>([
  ...Object.keys(provider).map((name): [string, NodeJS.ProcessEnv] => [
    `${name} is missing: AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE must be given together`,
    { ...provider, [name]: undefined },
  ]),
  [
    'COMPANY_REGISTRY_KEY is missing: COMPANY_REGISTRY=http needs it, or COMPANY_REGISTRY_KEY_FILE',
    { COMPANY_REGISTRY: 'http' },
  ],
  ['VAT_REGISTRY_CLIENT_ID is missing: VAT_REGISTRY=http needs it', { ...vat, VAT_REGISTRY_CLIENT_ID: undefined }],
  [
    'VAT_REGISTRY_CLIENT_SECRET is missing: VAT_REGISTRY=http needs it, or VAT_REGISTRY_CLIENT_SECRET_FILE',
    { ...vat, VAT_REGISTRY_CLIENT_SECRET: undefined },
  ],
])('%s', (message, environment) => {
  expect(mistakesOf(environment)).toEqual([message]);
});

/** What is wrong with the configuration, a mistake a line. */
function mistakesOf(environment: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message.split('\n');
  }
}

/** A value for each secret, and what it needs beside it. */
const secrets: Record<(typeof secretVariables)[number], string> = {
  DATABASE_URL: 'postgres://server:s3cret@db.example/cases',
  REDIS_URL: 'redis://server:s3cret@redis.example:6379/0',
  COMPANY_REGISTRY_KEY: 's3cret-key',
  VAT_REGISTRY_CLIENT_SECRET: 's3cret-client',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=s3cret',
};
const beside = { ...companies, ...vat, ...collector, DATABASE_URL: postgres };

describe.each(secretVariables)('the secret %s', (name) => {
  const variable = `${name}_FILE`;
  const given = { ...beside, [name]: undefined };

  test.each(['', '\n', '\r\n'])('is read from a file that ends in %j', async (ending) => {
    const path = await folder.write('secret', secrets[name] + ending);
    expect(readConfig({ ...given, [variable]: path })).toEqual(readConfig({ ...given, [name]: secrets[name] }));
  });

  test('is refused if it is given twice, or in a file that is missing, empty, a folder or wrong, with its path', async () => {
    const path = await folder.write('secret', 'not what it should be: s3cret');
    const fileMistakes = (file: string, more: NodeJS.ProcessEnv = {}) =>
      mistakesOf({ ...given, [variable]: file, ...more });
    const [wrong, ...others] = fileMistakes(path);
    expect(wrong).toMatch(new RegExp(`^${variable} names ${path}, which (must|has) `));
    expect(wrong).not.toContain('s3cret');
    expect(others).toEqual([]);
    const contradiction = `${name} contradicts ${variable}: unset the one or the other`;
    expect(fileMistakes(path, { [name]: secrets[name] })).toEqual([contradiction]);
    for (const [file, fault] of Object.entries({ '/no/such/file': "ENOENT.*'/no/such/file'", [folder.path]: 'EISDIR' }))
      expect(fileMistakes(file)).toEqual([expect.stringMatching(`^${variable} names a file .* read: ${fault}`)]);
    expect(fileMistakes(await folder.write('secret', '\n'))).toEqual([`${variable} names ${path}, which is empty`]);
  });
});

test('a file with the secret of a registry that is not asked is refused', async () => {
  const path = await folder.write('secret', 'client');
  const told = /^VAT_REGISTRY_CLIENT_SECRET_FILE contradicts VAT_REGISTRY=none: /;
  expect(mistakesOf({ VAT_REGISTRY_CLIENT_SECRET_FILE: path })).toEqual([expect.stringMatching(told)]);
});
