/** `npm test -- soak`: a server under a steady load for minutes, and among clients that mean harm. Bounded, and not in CI. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { exitCodes } from '../../src/cli/errors.ts';
import { abortedByStopSignals, minutesUpTo, runCommandLine } from '../support/command-line.ts';
import { allowedConnections } from './hostile.ts';
import { describeReport } from './report.ts';
import { runSoak, type SoakOptions } from './run.ts';

const program = new Command('soak')
  .description(
    'Hold a server under a steady load: a warm-up, then a while before, with and after hostile clients. ' +
      'Ctrl-C ends it early.',
  )
  .option('--minutes <number>', 'how long', minutesUpTo(240), 10)
  .option('--rate <number>', 'requests a second', wholeNumber(1, 10_000), 200)
  .addOption(new Option('--engine <name>', 'the store').choices(['sqlite', 'postgres']).default('sqlite'))
  .option('--idle-connections <number>', 'how many clients connect and stay silent', wholeNumber(0, 100_000), 10_000)
  .option('--program <file>', 'the program to hold', 'dist/main.js')
  .option('--json <file>', 'where the whole result is written', 'reports/soak.json')
  .addHelpText(
    'after',
    '\nExamples:\n  $ npm test -- soak\n  $ npm test -- soak --minutes 1 --engine postgres\n' +
      '\nExit codes: 0 every bound met, 1 a bound not met or ended early, 2 wrong usage.',
  )
  .action(async ({ json, ...options }: SoakOptions & { json: string }) => {
    const idleConnections = allowedConnections(options.idleConnections);
    if (idleConnections < options.idleConnections)
      console.log(`The limit on open files (ulimit -n) allows ${idleConnections} idle connections.`);
    const report = await runSoak({ ...options, idleConnections }, abortedByStopSignals(), (line) => {
      console.log(line);
    });
    await mkdir(dirname(json), { recursive: true });
    await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
    console.log(
      `\n${describeReport(report)}\n\n${report.held ? 'Every bound met' : report.interrupted ? 'Ended early' : 'A bound NOT met'}: ${json}`,
    );
    process.exitCode = report.held ? exitCodes.done : exitCodes.failed;
  });

await runCommandLine(program);
