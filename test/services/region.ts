import { execFileSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoData } from '../../src/demo/create-demo.ts';
import type { Region } from '../../src/domain/region.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { outputOf, serving, startProgram, told } from '../support/process.ts';
import { RedisServer } from '../support/redis.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** What deploy/prepare.sh makes, in a folder of the test's own. */
async function prepareSecrets() {
  const folder = await makeTemporaryFolder();
  for (const script of ['prepare.sh', 'make-certificates.sh']) await cp(`deploy/${script}`, join(folder, script));
  execFileSync(join(folder, 'prepare.sh'));
  const path = (name: string) => join(folder, 'secrets', name);
  return {
    path,
    /** Changes the address in a secret that is a URL, as the services are elsewhere here; gives the secret's path. */
    move: async (name: string, change: (url: URL) => void) => {
      const url = new URL((await readFile(path(name), 'utf8')).trim());
      change(url);
      await writeFile(path(name), `${url.href}\n`);
      return path(name);
    },
  };
}

export type RunningRegion = Awaited<ReturnType<typeof startRegion>>;

/** Starts two servers on a PostgreSQL database and a Redis of their own, with the roles and secrets of compose.yaml. */
export async function startRegion(region: Region) {
  const secrets = await prepareSecrets();
  const database = await createTestDatabase();
  const redis = await RedisServer.start(['--aclfile', secrets.path(`${region}-valkey-users`)]);
  const name = new URL(database.url).pathname.slice(1);
  const roles = { owner: `${name}_o`, server: `${name}_s` };
  const run = (args: string[], environment: NodeJS.ProcessEnv) => outputOf(startProgram(args, environment));
  const [ownerUrlFile, serverUrlFile] = (await Promise.all(
    (['owner', 'server'] as const).map((kind) =>
      secrets.move(`${region}-${kind}-url`, (url) => {
        const { host, pathname } = new URL(database.url);
        Object.assign(url, { host, pathname, username: roles[kind] });
      }),
    ),
  )) as [string, string];
  execFileSync('psql', ['--no-psqlrc', '--set=ON_ERROR_STOP=1', '--quiet', '--file=deploy/roles.sql', database.url], {
    env: { ...process.env, OWNER_URL_FILE: ownerUrlFile, SERVER_URL_FILE: serverUrlFile },
  });
  const migrate = ['store', 'migrate', '--server-role', roles.server];
  await run(migrate, { REGION: region, DATABASE_URL_FILE: ownerUrlFile });
  const environment = {
    NODE_ENV: 'production',
    REGION: region,
    DATABASE_URL_FILE: serverUrlFile,
    REDIS_URL_FILE: await secrets.move(`${region}-redis-url`, (url) => (url.host = redis.url().host)),
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_REQUESTS: '10000',
    RATE_LIMIT_FAILED_AUTHENTICATIONS: '10000',
    RATE_LIMIT_PUBLIC_REQUESTS: '10000',
  };
  const demo = JSON.parse(await run(['demo', '--json'], environment)) as DemoData;
  const serve = () => startProgram(['serve'], { ...environment, PORT: '0', OPS_PORT: '0' });
  const servers = await Promise.all(
    [serve(), serve()].map(async (program) => {
      const ops = told(program, /Probes and metrics on (\S+)\n/);
      return { ...program, address: new URL(await serving(program)).host, opsPort: new URL(await ops).port };
    }),
  );
  const databaseUrl = (await readFile(serverUrlFile, 'utf8')).trim();
  return { servers, demo, databaseUrl, redisUrl: redis.url().href };
}
