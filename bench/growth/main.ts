/**
 * `npm run bench -- growth`: measures how operations slow down with the size of the store and of a case, and with
 * connections. Not in CI.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Command, Option } from 'commander';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { abortedByStopSignals, runCommandLine } from '../../test/support/command-line.ts';
import { chooseCores, type Cores } from '../support/cores.ts';
import { folders } from '../support/folders.ts';
import { describeMachine } from '../support/machine.ts';
import { chartsOf, describeGrowth, type GrowthResult } from './report.ts';
import { type GrowthOptions, measureGrowth } from './run.ts';
import type { Engine } from './store.ts';

const whole = {
  caseCounts: [10_000, 30_000, 100_000, 300_000, 1_000_000],
  fileCounts: [1, 10, 100, 1000, 10_000, 100_000],
  connectionCounts: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  duration: { times: 5000, seconds: 5 },
};

const quick = {
  caseCounts: [1000, 3000],
  fileCounts: [1, 10, 1000],
  connectionCounts: [1, 10, 50],
  duration: { times: 200, seconds: 1 },
};

interface Flags {
  readonly engine: Engine;
  readonly quick?: true;
  readonly cases?: number;
}

async function growth({ engine, quick: short, cases }: Flags): Promise<void> {
  const signal = abortedByStopSignals();
  const cores = chooseCores();
  if (cores.unpinned !== undefined) console.log(`Note: ${cores.unpinned}.`);
  holdThisProcess(cores);
  const alone = cases !== undefined && { caseCounts: [10_000, cases], fileCounts: [], connectionCounts: [] };
  const options: GrowthOptions = { engine, cores, ...(short ? quick : whole), ...alone };
  const machine = describeMachine();
  const measured = await measureGrowth(options, signal, (line) => {
    console.log(line);
  });
  const result: GrowthResult = { machine, options, ...measured };
  const folder = short ? join(folders.reports, 'results') : folders.results;
  await mkdir(folder, { recursive: true });
  const base = `growth-${engine}${cases === undefined ? '' : `-${cases}`}`;
  const write = (name: string, content: string) => writeFile(join(folder, `${base}${name}`), content);
  await write('.json', `${JSON.stringify(result, null, 1)}\n`);
  await write('.md', `${describeGrowth(result)}\n`);
  for (const [axis, chart] of chartsOf(result)) await write(`-${axis}.svg`, chart);
  console.log(`\n${describeGrowth(result)}\n\nWritten to ${relative('', folder)}: ${base}*`);
}

/** Pins this process, which sends the requests. */
function holdThisProcess({ load }: Cores): void {
  if (load !== undefined)
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(load), String(process.pid)], {
      stdio: 'ignore',
    });
}

const program = new Command('npm run bench -- growth')
  .description(
    'Time each operation from ten thousand to a million cases, from 1 to 100,000 files in a case, and from 1 to 500 ' +
      'connections. Whole runs are kept in bench/results. Ctrl-C ends it early.',
  )
  .addOption(new Option('--engine <name>', 'the store').choices(['sqlite', 'postgres']).default('sqlite'))
  .option(
    '--cases <number>',
    'only by the cases, with ten thousand and with so many: ten million take 60 GB',
    wholeNumber(20_000, 100_000_000),
  )
  .option('--quick', 'small sizes, to try it out: its figures mean nothing')
  .addHelpText(
    'after',
    '\nA whole run makes a store of about 6 GB below reports/, or in the PostgreSQL of the tests (TEST_DATABASE_URL), and ' +
      'removes it.\n\nExamples:\n  $ npm run bench -- growth\n  $ npm run bench -- growth --engine postgres --quick\n  $ npm run bench -- growth --engine postgres --cases 10000000\n' +
      '\nExit codes: 0 measured, whatever the figures, 1 failed or ended early, 2 wrong usage.',
  )
  .action(growth);

await runCommandLine(program);
