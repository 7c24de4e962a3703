/**
 * `npm run bench`: compares this server with its peers. Bounded, and not in CI, because the figures depend on the
 * machine.
 */
import { join, relative } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../src/cli/arguments.ts';
import { abortedByStopSignals, runCommandLine } from '../test/support/command-line.ts';
import { installPackages } from '../scripts/install-packages.ts';
import { workloads } from './load/workloads.ts';
import { describeResult } from './report.ts';
import { resultOf } from './result.ts';
import { runBench } from './run.ts';
import { benchServers } from './servers.ts';
import { compileProcesses } from './support/compile.ts';
import { folders } from './support/folders.ts';
import { writeResult } from './write-result.ts';

interface Options {
  quick?: true;
  rounds?: number;
  seconds?: number;
  only?: string[];
  workload?: string[];
}

const whole = { rounds: 5, seconds: 2, warmupSeconds: 3 };
const quick = { rounds: 1, seconds: 1, warmupSeconds: 1 };

/** Parses a comma-separated list of names. */
function oneOrMoreOf(known: readonly string[]): (text: string) => string[] {
  return (text) => {
    const names = text.split(',');
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new InvalidArgumentError(`There is no ${unknown}; there are ${known.join(', ')}.`);
    return names;
  };
}

async function bench(options: Options): Promise<void> {
  const signal = abortedByStopSignals();
  const { quick: short, only, workload } = options;
  const isWhole = !short && !only && !workload;
  const times = { ...(short ? quick : whole) };
  if (options.rounds !== undefined) times.rounds = options.rounds;
  if (options.seconds !== undefined) times.seconds = options.seconds;

  await installPackages(folders.bench);
  await compileProcesses();
  const run = {
    ...times,
    servers: benchServers.filter(({ name }) => only?.includes(name) ?? true),
    workloads: workloads.filter(({ name }) => workload?.includes(name) ?? true),
  };
  const { cells, cores, headBytes } = await runBench(run, signal, (line) => {
    console.log(line);
  });
  const result = await resultOf(cells, { ...times, serverCore: cores.server, loadCore: cores.load, headBytes });
  // A partial run must not replace the whole comparison.
  const folder = isWhole ? folders.results : join(folders.reports, 'results');
  await writeResult(result, folder);
  console.log(`\n${describeResult(result)}\n\nWritten to ${relative('', folder)}: latest.json, latest.md, latest.svg`);
}

const program = new Command('bench')
  .description(
    'Compare this server with its peers, in turns, each on a core of its own, on the same data. Whole runs are kept in ' +
      'bench/results, others in reports/bench/results. Ctrl-C ends it early.',
  )
  .option('--quick', 'one short round, to try it out: its figures mean nothing')
  .option('--rounds <number>', `how often each is measured (default: ${whole.rounds})`, wholeNumber(1, 100))
  .option('--seconds <number>', `how long each time, after a warm-up (default: ${whole.seconds})`, wholeNumber(1, 600))
  .option('--only <servers>', 'compare these alone', oneOrMoreOf(benchServers.map(({ name }) => name)))
  .option('--workload <names>', 'compare under these alone', oneOrMoreOf(workloads.map(({ name }) => name)))
  .addHelpText(
    'after',
    `\nServers: ${benchServers.map(({ name }) => name).join(', ')}` +
      `\nWorkloads: ${workloads.map(({ name }) => name).join(', ')}` +
      '\n\nExamples:\n  $ npm run bench\n  $ npm run bench -- --only ours,fastify --workload read-setting --rounds 8\n' +
      '\nExit codes: 0 measured, whatever the figures, 1 a server failed or responded wrongly, or ended early, 2 wrong usage.',
  )
  .action(bench);

await runCommandLine(program);
