import type { DemoData } from '../../src/demo/create-demo.ts';
import { type Region, regions } from '../../src/domain/region.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { type ProgramProcess, serving, startProgram, told } from '../support/process.ts';

/** The Redis or Valkey that the regions count in, each in a database of its own. */
export const redisUrl = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379';

/** Two servers on a PostgreSQL database and a Redis database of their region's own. */
export interface RunningRegion {
  readonly servers: readonly RunningServer[];
  /** Data of the region, and credentials to call it with. */
  readonly demo: DemoData;
  close(): Promise<void>;
}

export interface RunningServer extends ProgramProcess {
  /** As in `127.0.0.1:41234`. */
  readonly address: string;
  readonly opsPort: string;
}

const firstRedisDatabase = 14;

/** Starts a region, and resolves when its servers serve. */
export async function startRegion(region: Region): Promise<RunningRegion> {
  const database = await createTestDatabase();
  const environment = {
    NODE_ENV: 'production',
    REGION: region,
    DATABASE_URL: database.url,
    REDIS_URL: new URL(`/${firstRedisDatabase + regions.indexOf(region)}`, redisUrl).href,
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_REQUESTS: '10000',
    RATE_LIMIT_FAILED_AUTHENTICATIONS: '10000',
    RATE_LIMIT_PUBLIC_REQUESTS: '10000',
  };
  const programs: ProgramProcess[] = [];
  const close = async () => {
    for (const { child } of programs) child.kill('SIGKILL');
    await Promise.all(programs.map(({ ended }) => ended));
    await database.drop();
  };
  try {
    const making = startProgram(['demo', '--json'], environment);
    if ((await making.ended) !== 0) throw new Error(`No demo data could be made: ${making.stderr()}`);
    const serve = () => startProgram(['serve'], { ...environment, PORT: '0', OPS_PORT: '0' });
    programs.push(serve(), serve());
    const servers = await Promise.all(
      programs.map(async (program) => {
        const address = new URL(await serving(program)).host;
        const opsPort = new URL(await told(program, /Probes and metrics on (\S+)\n/)).port;
        return { ...program, address, opsPort };
      }),
    );
    return { servers, demo: JSON.parse(making.stdout()) as DemoData, close };
  } catch (error) {
    await close();
    throw error;
  }
}
