/** `npm run bench -- footprint`: measures the start, the idle memory, and the gain of a second worker. Not in CI. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { abortedByStopSignals, runCommandLine } from '../../test/support/command-line.ts';
import { installPackages } from '../../scripts/install-packages.ts';
import { compileProcesses } from '../support/compile.ts';
import { chooseCores } from '../support/cores.ts';
import { folders } from '../support/folders.ts';
import { describeMachine } from '../support/machine.ts';
import { describeFootprint, type FootprintResult } from './report.ts';
import { type FootprintOptions, measureFootprint } from './run.ts';

const whole = { starts: 15, rounds: 5, pauseSeconds: 5, loadSeconds: 8 };
const quick = { starts: 2, rounds: 1, pauseSeconds: 1, loadSeconds: 1 };

async function footprint({ quick: short, starts }: { quick?: true; starts?: number }): Promise<void> {
  const signal = abortedByStopSignals();
  await installPackages(folders.bench);
  await compileProcesses();
  const cores = chooseCores();
  if (cores.unpinned !== undefined) console.log(`Note: ${cores.unpinned}.`);
  const options: FootprintOptions = { ...(short ? quick : whole), ...(starts !== undefined && { starts }), cores };
  const machine = describeMachine();
  const measured = await measureFootprint(options, signal, (line) => {
    console.log(line);
  });
  const result: FootprintResult = { machine, options, ...measured };
  const folder = short ? join(folders.reports, 'results') : folders.results;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'footprint.json'), `${JSON.stringify(result, null, 1)}\n`);
  await writeFile(join(folder, 'footprint.md'), `${describeFootprint(result)}\n`);
  console.log(`\n${describeFootprint(result)}\n\nWritten to ${relative('', folder)}: footprint.json, footprint.md`);
}

const program = new Command('npm run bench -- footprint')
  .description(
    'Measure the start of this server to its first response, its idle memory, both beside bare node:http and Fastify, and ' +
      'two workers beside one. Whole runs are kept in bench/results. Ctrl-C ends it early.',
  )
  .option('--quick', 'few and short, to try it out: its figures mean nothing')
  .option('--starts <number>', `how often each is started (default: ${whole.starts})`, wholeNumber(1, 1000))
  .addHelpText(
    'after',
    '\nExamples:\n  $ npm run bench -- footprint\n  $ npm run bench -- footprint --quick\n' +
      '\nExit codes: 0 measured, whatever the figures, 1 failed or ended early, 2 wrong usage.',
  )
  .action(footprint);

await runCommandLine(program);
