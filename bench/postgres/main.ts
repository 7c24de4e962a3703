/** `npm run bench -- postgres`: compares this server on PostgreSQL with bare node:http and `pg`. Not in CI. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import { abortedByStopSignals, runCommandLine } from '../../test/support/command-line.ts';
import { chooseCores, holdTo } from '../support/cores.ts';
import { folders } from '../support/folders.ts';
import { describeMachine, machineLine } from '../support/machine.ts';
import { describeSamples } from './report.ts';
import { measurePostgres, servers } from './run.ts';

async function postgres({ quick }: { quick?: true }): Promise<void> {
  const signal = abortedByStopSignals();
  const cores = chooseCores();
  if (cores.unpinned !== undefined) console.log(`Note: ${cores.unpinned}.`);
  if (cores.load !== undefined) holdTo([cores.load]);
  const options = {
    ...(quick ? { rounds: 1, seconds: 1 } : { rounds: 7, seconds: 3 }),
    connections: 32,
    poolSize: 10,
    cores,
  };
  const machine = describeMachine();
  const samples = await measurePostgres(servers, options, signal, (line) => {
    console.log(line);
  });
  const text = `${machineLine(machine)}\n\n${describeSamples(options, samples)}\n`;
  const folder = quick ? join(folders.reports, 'results') : folders.results;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'postgres.json'), `${JSON.stringify({ machine, options, samples }, null, 1)}\n`);
  await writeFile(join(folder, 'postgres.md'), text);
  console.log(`\n${text}\nWritten to ${relative('', folder)}: postgres.*`);
}

const program = new Command('npm run bench -- postgres')
  .description(
    'Give this server on PostgreSQL, and bare node:http with one prepared statement a request, the same requests in turn. ' +
      'Whole runs are kept in bench/results. Ctrl-C ends it early.',
  )
  .option('--quick', 'one short round, to try it out: its figures mean nothing')
  .addHelpText(
    'after',
    '\nIt needs the PostgreSQL of the tests (TEST_DATABASE_URL).\n' +
      '\nExit codes: 0 measured, whatever the figures, 1 failed or ended early, 2 wrong usage.',
  )
  .action(postgres);

await runCommandLine(program);
