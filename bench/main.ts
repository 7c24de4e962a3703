/** `npm run bench`: measures this server beside others. Bounded, and not in CI, because figures depend on the machine. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { installPackages } from '../scripts/install-packages.ts';
import { wholeNumber } from '../src/cli/arguments.ts';
import { copyStore } from '../src/store/transfer.ts';
import { postgresTransferable } from '../src/store/postgres/transfer.ts';
import { sqliteTransferable } from '../src/store/sqlite/transfer.ts';
import { abortedByStopSignals, runCommandLine } from '../scripts/command-line.ts';
import { createTestDatabase, noPostgres } from '../test/support/postgres.ts';
import { noRedis, redisUrl } from '../test/support/redis.ts';
import { type BenchData, provideData } from './data.ts';
import { measureFootprint } from './footprint.ts';
import { type Contestant, measure, type MeasureOptions, sliceMilliseconds } from './harness.ts';
import { chooseCores, describeMachine, folders } from './machine.ts';
import { describeFigures, describeFootprint, type Target } from './report.ts';
import { benchServers, type BenchServer, compileProcesses, postgresServers, twoProcesses } from './servers.ts';
import { type Workload, workloads } from './workloads.ts';

interface Options {
  readonly quick?: true;
  readonly rounds?: number;
  readonly only?: string[];
  readonly workload?: string[];
}

type Run = Omit<MeasureOptions, 'workloads'> & { readonly chosen: Options };

/** What has been measured, to be written as JSON, and the report. */
type Outcome = readonly [measured: readonly object[], report: string];

const { ours, limit, fastify, stock, node } = benchServers;
const atLeast = (name: string, of: string, ratios: Readonly<Record<string, number>>): Target[] =>
  Object.entries(ratios).map(([workload, ratio]) => ({ workload, name, of, atLeast: ratio }));
const everywhere = (ratio: number) => Object.fromEntries(Object.keys(ofLimit).map((name) => [name, ratio]));
const ofLimit = {
  'read-setting': 0.85,
  'update-setting': 0.9,
  'bad-body': 0.6,
  'bad-key': 0.85,
  'case-10': 0.85,
  'case-1000': 0.9,
  mix: 0.85,
};

const withData = (servers: readonly BenchServer[], data: BenchData, isElsewhere = false): Contestant[] =>
  servers.map((server) => ({ name: server.name, title: server.title, server, data, isElsewhere }));

/** By name. */
const scenarios: Readonly<Record<string, (run: Run) => Promise<Outcome>>> = {
  comparison: async (run) => {
    const data = await provideData('usual', run.signal, run.log);
    const targets = [
      ...atLeast('ours', 'limit', ofLimit),
      ...atLeast('ours', 'fastify', everywhere(1.3)),
      ...atLeast('ours', 'stock', everywhere(5)),
    ];
    return compare(run, withData([ours, limit, fastify, stock], data), targets);
  },
  postgres: async (run) => {
    if (noPostgres !== undefined) throw new Error(noPostgres);
    const data = await provideData('small', run.signal, run.log);
    const database = await createTestDatabase();
    try {
      run.log('Copying the data to PostgreSQL');
      await copyStore(sqliteTransferable(data.databaseFile), postgresTransferable(database.url, 'uk', 'the bench'));
      await database.query('VACUUM ANALYZE');
      return await compare(
        run,
        withData(postgresServers(database.url), data, true),
        atLeast('ours', 'bare-postgres', { 'read-setting': 0.8, 'bad-key': 0.8, 'case-10': 0.8 }),
        ['update-setting'],
      );
    } finally {
      await database.drop();
    }
  },
  growth: async (run) => {
    const sizes = await Promise.all(
      (['small', 'large'] as const).map((size) => provideData(size, run.signal, run.log)),
    );
    const servers = sizes.map((data): Contestant => {
      const name = `${data.cases.toLocaleString('en')} cases`;
      return { name, title: name, server: ours, data };
    });
    const [small, large] = servers.map(({ name }) => name) as [string, string];
    const ratios = { 'read-setting': 0.9, 'update-setting': 0.9, 'case-10': 0.9, 'case-10-any': 0.9, 'bad-key': 0.9 };
    return compare(run, servers, atLeast(large, small, ratios));
  },
  processes: async (run) => {
    if (noRedis !== undefined) throw new Error(noRedis);
    const data = await provideData('usual', run.signal, run.log);
    const cores = { server: undefined, load: undefined };
    const targets = ['two', 'two-redis'].flatMap((name) =>
      atLeast(name, 'ours', { 'read-setting': 1.7, 'case-10': 1.7 }),
    );
    return compare({ ...run, cores }, withData([ours, ...twoProcesses(redisUrl.href)], data), targets);
  },
  footprint: async (run) => {
    const data = await provideData('usual', run.signal, run.log);
    const measured = await measureFootprint(chosenOf(withData([ours, limit, fastify, node], data), run.chosen), run);
    return [measured, describeFootprint(measured)];
  },
};

async function compare(
  run: Run,
  servers: readonly Contestant[],
  targets: readonly Target[],
  besides: readonly string[] = [],
): Promise<Outcome> {
  const usual = [...besides, ...targets.map(({ workload }) => workload)];
  const isMeasured = ({ name }: Workload) => (run.chosen.workload ?? usual).includes(name);
  const measured = await measure(chosenOf(servers, run.chosen), { ...run, workloads: workloads.filter(isMeasured) });
  return [measured, describeFigures(measured, new Map(servers.map(({ name, title }) => [name, title])), targets)];
}

/** Those of the scenario that `--only` names. @throws {Error} if it names none of them */
function chosenOf(servers: readonly Contestant[], { only }: Options): Contestant[] {
  const chosen = servers.filter(({ server }) => only?.includes(server.name) ?? true);
  if (chosen.length > 0) return chosen;
  throw new Error(`This scenario measures none of those, but ${servers.map(({ server }) => server.name).join(', ')}`);
}

async function bench(name: string, options: Options): Promise<void> {
  const { quick, rounds = quick ? 2 : 24, only, workload } = options;
  const signal = abortedByStopSignals();
  await installPackages(folders.bench);
  await compileProcesses();
  const log = console.log.bind(console);
  const cores = chooseCores();
  if (cores.load === undefined) log('Note: nothing is pinned to a core, so the load competes with the servers.');
  const run = { rounds, cores, signal, log, chosen: options };
  const [measured, report] = await (scenarios[name] as (run: Run) => Promise<Outcome>)(run);
  const text = `${describeMachine()} ${rounds} rounds${name === 'footprint' ? '' : ` of slices of ${sliceMilliseconds} ms`}.\n\n${report}`;
  // A partial run must not replace a whole one.
  const isWhole = quick === undefined && options.rounds === undefined && only === undefined && workload === undefined;
  const folder = isWhole ? folders.results : join(folders.reports, 'results');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, `${name}.json`),
    `${JSON.stringify(measured, (_key, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value))}\n`,
  );
  await writeFile(join(folder, `${name}.md`), `${text}\n`);
  console.log(`\n${text}\n\nWritten to ${relative('', join(folder, name))}.md and .json`);
}

function listOf(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    const names = text.split(',');
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new InvalidArgumentError(`There is no ${unknown}; there are ${known.join(', ')}.`);
    return names;
  };
}

const servers: BenchServer[] = [...Object.values(benchServers), ...postgresServers(''), ...twoProcesses('')];
const serverNames = [...new Set(servers.map(({ name }) => name))];
const workloadNames = workloads.map(({ name }) => name);

const program = new Command('npm run bench --')
  .description(
    'Measure this server beside others: all are up at the same time, and are loaded in alternating slices of 250 ms.',
  )
  .addArgument(new Argument('[scenario]', 'what to measure').choices(Object.keys(scenarios)).default('comparison'))
  .option('--quick', 'two rounds, to try it out: the figures mean nothing')
  .option('--rounds <number>', 'how many slices each server gets (default: 24)', wholeNumber(1, 1000))
  .option('--only <servers>', 'measure these alone', listOf(serverNames))
  .option('--workload <names>', 'measure under these alone', listOf(workloadNames))
  .addHelpText(
    'after',
    `
Scenarios:
  comparison  beside the limit, Fastify, and Express with express-openapi-validator and openapi-backend
  postgres    on PostgreSQL, beside bare pg
  growth      with 100,000 cases beside 10,000
  processes   two processes, without Redis and with it, beside one
  footprint   start and memory
Servers: ${serverNames.join(', ')}
Workloads: ${workloadNames.join(', ')}

Whole runs are kept in bench/results, others in reports/bench/results. Ctrl-C ends a run early.

Examples:
  $ npm run bench
  $ npm run bench -- --only ours,fastify --workload read-setting --rounds 100

Exit codes: 0 measured, whatever the figures, 1 a server failed or responded wrongly, or ended early, 2 wrong usage.`,
  )
  .action(bench);

await runCommandLine(program);
