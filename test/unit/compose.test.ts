/** compose.yaml is held here to what its head says, because most machines that run the tests have no container engine. */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig, secretVariables } from '../../src/runtime/config.ts';
import { flagsOf } from '../image/build.ts';
import { readDockerfile } from '../image/dockerfile.ts';
import { TemporaryFolder } from '../support/temporary-folder.ts';

interface Service {
  image: string;
  build?: string;
  environment?: Record<string, unknown>;
  networks: string[];
  command?: string[];
  ports?: string[];
  volumes?: string[];
  profiles?: string[];
  tmpfs?: string[];
  ulimits?: { nofile: number };
  secrets?: (string | { source: string; target: string })[];
  depends_on?: Record<string, { condition: string }>;
}

const text = readFileSync('compose.yaml', 'utf8');
const { services, networks, secrets } = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean; driver_opts?: Record<string, string> } | null>;
  secrets: Record<string, { file: string }>;
};
const proxyConfiguration = readFileSync('deploy/haproxy.cfg', 'utf8');
const regions = ['uk', 'ca'];
/** The services on a network that is not internal: the way in, and the way out, which is started if it is asked for. */
const outward: Record<string, string[] | undefined> = { proxy: ['edge'], egress: ['outside'] };
/** Images that are named by their version alone. This list may only shrink: each could become another image. */
const withoutDigest = ['haproxy:3.2.24'];
const serversOf = (region: string) => [`${region}-1`, `${region}-2`];

/** The secrets of a service, by where it finds them. */
const secretsOf = ({ secrets: given = [] }: Service): Record<string, string> =>
  Object.fromEntries(given.map((one) => (typeof one === 'string' ? [one, one] : [one.target, one.source])));

test('compose.yaml gives the proxy every address that its configuration asks for, and none that it does not know', () => {
  const asked = [...proxyConfiguration.matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name);
  expect(Object.keys(services['proxy']?.environment ?? {}).sort()).toEqual([...new Set(asked)].sort());
});

test.each(Object.entries(services))(
  'compose.yaml %s is read-only, without privileges, and bounded',
  (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      init: true,
      mem_limit: expect.stringMatching(/^\d+[mg]$/) as unknown,
      cpus: expect.any(Number) as unknown,
      pids_limit: expect.any(Number) as unknown,
    });
    for (const place of service.tmpfs ?? []) expect(place).toMatch(/size=\d+m$/);
  },
);

test('compose.yaml names each image that it does not build by its digest, and so do the files that build', () => {
  const files = ['Dockerfile', 'deploy/egress/Dockerfile'];
  const built = Object.values(services).flatMap(({ image, build }) => (build === undefined ? [] : [image]));
  const images = [
    ...Object.values(services).flatMap(({ image }) => (built.includes(image) ? [] : [image])),
    ...files.flatMap((file) =>
      readDockerfile(readFileSync(file, 'utf8'), flagsOf).flatMap((stage, _index, stages) =>
        stages.some(({ name }) => name === stage.image) ? [] : [stage.image],
      ),
    ),
  ];
  expect(images.length).toBeGreaterThan(6);
  expect([...new Set(images.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image)))]).toEqual(withoutDigest);
  for (const image of images) expect(image).toMatch(/^[a-z/]+:[\w.-]*\d+\.?\d[\w.-]*(@|$)/);
  // A build that names a syntax fetches the image of that syntax first.
  for (const file of files) expect(readFileSync(file, 'utf8')).not.toMatch(/^# *syntax *=/im);
});

test.each(regions)('compose.yaml keeps the data stores and the files of %s to its own servers', (region) => {
  const inside = Object.entries(services).filter(([, service]) => service.networks.includes(`${region}-data`));
  const own = ['1', '2', 'migrate', 'postgres', 'valkey'].map((name) => `${region}-${name}`);
  expect(inside.map(([name]) => name).sort()).toEqual(own);
  for (const name of ['migrate', 'postgres', 'valkey'])
    expect(services[`${region}-${name}`]?.networks).toEqual([`${region}-data`]);
  for (const server of serversOf(region)) expect(services[server]?.environment).toMatchObject({ REGION: region });
  const holders = Object.entries(services).filter(([, { volumes }]) => volumes?.includes(`${region}-files:/data`));
  expect(holders.map(([name]) => name).sort()).toEqual(serversOf(region));
});

test('compose.yaml leads nowhere: servers and data stores have no network with a way out, and the proxy alone has a way in', () => {
  expect(Object.entries(services).flatMap(([name, { ports }]) => (ports ? [name] : []))).toEqual(['proxy']);
  for (const [name, { networks: names }] of Object.entries(services))
    expect([name, names.filter((network) => !networks[network]?.internal)]).toEqual([name, outward[name] ?? []]);
  expect(services['egress']?.profiles).toEqual(['egress']);
  expect(networks['edge']?.driver_opts).toEqual({ 'com.docker.network.bridge.enable_ip_masquerade': 'false' });
});

test.each(regions)('compose.yaml has the schema of %s migrated by its owner, before servers that are not', (region) => {
  const migrate = services[`${region}-migrate`];
  expect(migrate).toMatchObject({
    command: ['store', 'migrate', '--server-role', 'document_analysis_server'],
    environment: { REGION: region, DATABASE_URL_FILE: '/run/secrets/database-url' },
    restart: 'no',
  });
  expect(migrate && secretsOf(migrate)).toEqual({ 'database-url': `${region}-owner-url` });
  for (const server of serversOf(region)) {
    const condition = 'service_completed_successfully';
    expect(services[server]?.depends_on?.[`${region}-migrate`]).toEqual({ condition });
    const expected = { 'database-url': `${region}-server-url`, 'redis-url': `${region}-redis-url` };
    expect(secretsOf(services[server] as Service)).toEqual(expected);
  }
});

test('compose.yaml gives no secret but in a file, which the service finds where its variable says', () => {
  for (const service of Object.values(services)) {
    const files = Object.values(service.environment ?? {}).filter((value) => /^\/run\/secrets\//.test(String(value)));
    const named = [...files, ...(service.command ?? [])].flatMap((value) =>
      [...String(value).matchAll(/^\/run\/secrets\/(.+)/g)].map(([, target]) => target),
    );
    expect(named.sort()).toEqual(Object.keys(secretsOf(service)).sort());
    const direct = Object.keys(service.environment ?? {}).filter((name) =>
      [...secretVariables, 'POSTGRES_PASSWORD'].some((secret) => secret === name),
    );
    expect(direct).toEqual([]);
  }
  expect(text).not.toMatch(/:\/\/[^/\s]*@/);
});

describe('deploy/prepare.sh', () => {
  let folder: TemporaryFolder;
  const run = () => execFileSync(join(folder.path, 'prepare.sh'), { stdio: 'pipe' });
  const files = () => {
    const names = readdirSync(join(folder.path, 'secrets'));
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder.path, 'secrets', name), 'utf8')]));
  };
  beforeAll(async () => {
    folder = await TemporaryFolder.make();
    for (const script of ['prepare.sh', 'make-certificates.sh']) cpSync(`deploy/${script}`, join(folder.path, script));
    run();
  });

  test('makes each secret that compose.yaml names, in a folder that keeps others out', () => {
    const named = Object.values(secrets).map(({ file }) => file.replace('deploy/secrets/', ''));
    expect(Object.keys(files()).sort()).toEqual([...named, 'ca.pem'].sort());
    expect(statSync(join(folder.path, 'secrets')).mode & 0o777).toBe(0o700);
    const passwords = Object.values(files()).flatMap((content) => content.match(/\b[0-9a-f]{48}\b/g) ?? []);
    expect(new Set(passwords).size).toBe(8);
    expect(passwords).toHaveLength(8);
  });

  test('leaves what is there as it is', () => {
    const before = files();
    run();
    expect(files()).toEqual(before);
  });

  test.each(regions)('makes URLs that the servers of %s can be configured with', (region) => {
    const path = (name: string) => join(folder.path, 'secrets', `${region}-${name}`);
    for (const user of ['server', 'owner']) {
      const config = readConfig({ DATABASE_URL_FILE: path(`${user}-url`), REDIS_URL_FILE: path('redis-url') });
      expect(config.database?.url).toContain(`//document_analysis_${user}:`);
      expect(new URL(config.database?.url ?? '').host).toBe(`${region}-postgres:5432`);
      expect(config.sharedRateLimits?.redisUrl.host).toBe(`${region}-valkey:6379`);
    }
  });
});

const number = (form: RegExp) => Number(form.exec(proxyConfiguration)?.[1]);
const defaults = readConfig({});

test('deploy/haproxy.cfg allows a source more than the API allows, so that the API refuses first', () => {
  const { windowSeconds, ...limits } = defaults.rateLimits;
  expect(proxyConfiguration).toContain('http_req_rate(60s)');
  expect(windowSeconds).toBe(60);
  const allowed = number(/sc0_http_req_rate gt (\d+)/);
  for (const limit of Object.values(limits)) expect(allowed).toBeGreaterThan(limit);
  expect(number(/sc0_conn_rate gt (\d+)/) * 6).toBeGreaterThanOrEqual(allowed);
});

test('deploy/haproxy.cfg bounds connections: of one source, of all, and to a server below what the server accepts', () => {
  const maxConnections = (section: RegExp) =>
    number(new RegExp(`^${section.source}\\n(?:.*\\n)*? {2}maxconn (\\d+)$`, 'm'));
  expect(maxConnections(/global/)).toBe(maxConnections(/frontend regions/));
  expect(number(/sc0_conn_cur gt (\d+)/)).toBeLessThan(number(/^ {2}maxconn (\d+)$/m));
  const toServer = number(/default-server .*\bmaxconn (\d+)/);
  expect(toServer).toBeGreaterThan(defaults.maxConcurrentRequests);
  expect(toServer + number(/pool-max-conn (\d+)/)).toBeLessThan(defaults.maxConnections);
  expect(services['proxy']?.ulimits?.nofile).toBeGreaterThan(2 * number(/^ {2}maxconn (\d+)$/m));
});
