import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DemoData } from '../../src/demo/create-demo.ts';
import { demoIds } from '../../src/demo/demo-data.ts';
import { createTestDatabase, noPostgres } from '../support/postgres.ts';
import { buildCase } from '../support/tenants.ts';

export type Engine = 'sqlite' | 'postgres';

/** Data of its own for one run. */
export interface SoakData {
  /** Variables that lead the program to it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly demo: DemoData;
  /** A case of the demo's organisation with 2,000 files: a few of its responses are more than the operating system keeps for a client that reads none. */
  readonly largeCaseId: string;
  remove(): Promise<void>;
}

/** Makes the demo's data and a large case with the command line. */
export async function makeData(program: string, engine: Engine): Promise<SoakData> {
  if (engine === 'postgres' && noPostgres !== undefined) throw new Error(`postgres is ${noPostgres}`);
  const folder = await mkdtemp(join(tmpdir(), 'document-analysis-soak-'));
  const database = engine === 'postgres' ? await createTestDatabase() : undefined;
  const environment = { DATA_DIR: folder, ...(database && { DATABASE_URL: database.url }) };
  const remove = async () => {
    await database?.drop();
    await rm(folder, { recursive: true });
  };
  const run = promisify(execFile);
  const cli = (...args: string[]) =>
    run(process.execPath, [program, ...args], { env: { ...process.env, ...environment } });
  try {
    const demo = JSON.parse((await cli('demo', '--json')).stdout) as DemoData;
    const { files, ...rest } = buildCase(['analysis_complete']);
    const manyFiles = files.flatMap((one) => Array.from({ length: 2000 }, () => ({ ...one, file_id: randomUUID() })));
    const largeCase = { ...rest, files: manyFiles };
    const file = join(folder, 'large-case.json');
    await writeFile(file, JSON.stringify([largeCase]));
    await cli('case', 'import', file, '--organisation', demoIds.organisation);
    return { environment, demo, largeCaseId: largeCase.case_id, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
