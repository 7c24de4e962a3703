import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cell } from './run.ts';
import { type Summary, summarise } from './summary.ts';
import { folders } from './support/folders.ts';
import { describeMachine, type Machine } from './support/machine.ts';
import { judgeTargets, type Target } from './targets.ts';

/** The packages whose versions a result lists, in their order. */
const named = ['express', 'express-openapi-validator', 'openapi-backend', 'better-sqlite3', 'pino'];
const namedPeers = ['fastify', 'fastify-openapi-glue', '@fastify/helmet', '@fastify/rate-limit', 'helmet'];
const namedTools = ['express-rate-limit', 'pino-http', '@stoplight/prism-cli'];

/** The conditions of a measurement. */
export interface MeasuredWith {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmupSeconds: number;
  readonly serverCore: number | undefined;
  readonly loadCore: number | undefined;
  /** By server: the size of the headers of its first response. */
  readonly headBytes: Readonly<Record<string, number>>;
}

/** The complete result of a run. */
export interface Result {
  readonly machine: Machine;
  readonly packages: Readonly<Record<string, string>>;
  readonly options: MeasuredWith;
  readonly targets: readonly Target[];
  readonly summaries: readonly Summary[];
  readonly cells: readonly Cell[];
}

/** Summarises what was measured. */
export async function resultOf(cells: readonly Cell[], options: MeasuredWith): Promise<Result> {
  const summaries = summarise(cells);
  const versions = [
    ...(await versionsOf(named, folders.repository)),
    ...(await versionsOf([...namedPeers, ...namedTools], folders.bench)),
  ];
  const packages = Object.fromEntries(versions);
  return { machine: describeMachine(), packages, options, targets: judgeTargets(summaries), summaries, cells };
}

async function versionsOf(packages: readonly string[], folder: string): Promise<[string, string][]> {
  return Promise.all(
    packages.map(async (name): Promise<[string, string]> => {
      const file = join(folder, 'node_modules', name, 'package.json');
      const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string };
      return [name, version];
    }),
  );
}
