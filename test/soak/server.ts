import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { demoIds } from '../../src/demo/demo-data.ts';
import { createTestDatabase, noPostgres } from '../support/postgres.ts';
import { outputOf, type ProgramProcess, serving, startNode, told, withDataDir } from '../support/process.ts';
import { parseMetrics } from '../support/prometheus.ts';
import { buildCase } from '../support/tenants.ts';

export type Engine = 'sqlite' | 'postgres';

/** What the server says of itself. */
export interface ServerState {
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly connections: number;
}

/** A server as a process of its own, with the data of the demo and a large case. */
export interface SoakServer extends ProgramProcess {
  readonly origin: string;
  readonly demo: DemoData;
  /** A case of the demo's organisation with 2,000 files: a few of its responses are more than the system keeps for a client that reads none. */
  readonly largeCaseId: string;
  /** @throws {Error} if its operations port does not respond */
  state(): Promise<ServerState>;
}

/** Works on a server with data of its own. Of its limits, only those on the rates of requests are not the default ones. */
export async function withSoakServer(
  program: string,
  engine: Engine,
  work: (server: SoakServer) => Promise<void>,
): Promise<void> {
  if (engine === 'postgres' && noPostgres !== undefined) throw new Error(noPostgres);
  const database = engine === 'postgres' ? await createTestDatabase() : undefined;
  try {
    await withDataDir(async (folder) => {
      const url = await database?.serverUrl(database.url);
      const environment = { DATA_DIR: folder, ...(url !== undefined && { DATABASE_URL: url }) };
      await work(await start(program, folder, environment));
    });
  } finally {
    await database?.drop();
  }
}

async function start(program: string, folder: string, environment: NodeJS.ProcessEnv): Promise<SoakServer> {
  const command = (...args: string[]) => outputOf(startNode([program, ...args], environment));
  const demo = JSON.parse(await command('demo', '--json')) as DemoData;
  const { files, ...rest } = buildCase(['analysis_complete']);
  const manyFiles = files.flatMap((one) => Array.from({ length: 2000 }, () => ({ ...one, file_id: randomUUID() })));
  const file = join(folder, 'large-case.json');
  await writeFile(file, JSON.stringify([{ ...rest, files: manyFiles }]));
  await command('case', 'import', file, '--organisation', demoIds.organisation);
  const unlimited = {
    RATE_LIMIT_REQUESTS: '1000000',
    RATE_LIMIT_FAILED_AUTHENTICATIONS: '1000000',
    RATE_LIMIT_PUBLIC_REQUESTS: '1000000',
  };
  const given = { ...environment, ...unlimited, PORT: '0', OPS_PORT: '0' };
  // In a process group of its own, so that Ctrl-C ends the load first.
  const started = startNode([program, 'serve'], given, { detached: true });
  const origin = await serving(started);
  const ops = await told(started, /metrics on (\S+)\n/);
  const state = async () => {
    const series = parseMetrics(await (await fetch(`${ops}/metrics`)).text());
    const valueOf = (wanted: string) => series.find(({ name }) => name === wanted)?.value ?? NaN;
    return {
      rssMiB: valueOf('process_resident_memory_bytes') / 2 ** 20,
      heapMiB: valueOf('nodejs_heap_size_used_bytes') / 2 ** 20,
      connections: valueOf('http_server_open_connections'),
    };
  };
  return { ...started, origin, demo, largeCaseId: rest.case_id, state };
}
