/** `npm test -- fuzz`: gives the parsers that strangers reach made-up input, and keeps what is worth giving again. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { exitCodes } from '../../src/cli/errors.ts';
import { minutesUpTo, runCommandLine } from '../support/command-line.ts';
import { lineOf, nameOf } from './corpus.ts';
import type { FuzzOrder, FuzzReport } from './process.ts';
import { targets } from './targets/index.ts';

interface Options {
  readonly minutes: number;
  readonly target?: string;
  readonly seed?: number;
  readonly keep?: boolean;
}

const reports = 'reports/fuzz';
/** A process that tells nothing for so long hangs in one input. */
const silentMilliseconds = 120_000;
const mebibytes = 1024;
async function main({ minutes: all, target, seed = randomInt(2 ** 31), keep = false }: Options): Promise<void> {
  const names = target === undefined ? Object.keys(targets) : [target];
  const seconds = (all * 60) / names.length;
  await mkdir(reports, { recursive: true });
  console.log(`${names.length} targets, ${Math.round(seconds)} s each, seed ${seed}`);
  const results: Record<string, FuzzReport | undefined> = {};
  let faults = 0;
  for (const name of names) {
    const inputFile = join(reports, `${name}.input`);
    const report = await fuzz({ target: name, seconds, seed, keep, inputFile });
    results[name] = report;
    console.log(progressLine(name, report));
    if (report.fault === undefined) continue;
    faults += 1;
    const input = await readFile(inputFile);
    const kept = join(reports, `${name}-${nameOf(input)}.jsonl`);
    await writeFile(kept, lineOf(input));
    console.error(
      `FAULT ${name}: ${report.fault}\nThe input is in ${kept}. Mend the fault, and keep the input:\n  cat ${kept} >> test/fuzz/corpus/${name}.jsonl`,
    );
  }
  await writeFile('reports/fuzz.json', `${JSON.stringify({ seed, minutes: all, results }, null, 2)}\n`);
  process.exitCode = faults > 0 ? exitCodes.failed : exitCodes.done;
}

/** Fuzzes one target in a process of its own. */
async function fuzz(order: FuzzOrder): Promise<FuzzReport> {
  const child = fork(join(import.meta.dirname, 'process.ts'), { execArgv: [`--max-old-space-size=${mebibytes}`] });
  let last: FuzzReport = {
    executions: 0,
    corpus: 0,
    functions: 0,
    slowestMilliseconds: 0,
    peakMebibytes: 0,
    outcomes: {},
    ended: false,
  };
  const kill = () => void child.kill('SIGKILL');
  let silence = setTimeout(kill, silentMilliseconds);
  child.on('message', (report: FuzzReport) => {
    clearTimeout(silence);
    silence = setTimeout(kill, silentMilliseconds);
    last = report;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${progressLine(order.target, report)}`);
  });
  child.send(order);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(silence);
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  const ending =
    signal === 'SIGKILL' ? `it hung for ${silentMilliseconds / 1000} s` : `its process ended with ${signal ?? code}`;
  return last.ended ? last : { ...last, fault: ending };
}

function progressLine(
  name: string,
  { executions, corpus, functions, slowestMilliseconds, peakMebibytes }: FuzzReport,
): string {
  return `${name}: ${executions} inputs, ${corpus} kept, ${functions} functions, slowest ${slowestMilliseconds} ms, ${peakMebibytes} MiB`;
}

const program = new Command('npm test -- fuzz')
  .description('Give the parsers that strangers reach made-up and edited input. V8 tells which inputs reach new code.')
  .option('--minutes <number>', 'how long, all targets together', minutesUpTo(24 * 60), 10)
  .addOption(new Option('--target <name>', 'one target alone').choices(Object.keys(targets)))
  .option('--seed <number>', 'repeat the random choices of an earlier run', wholeNumber(0, 2 ** 31 - 1))
  .option('--keep', 'write the corpus in test/fuzz/corpus anew: the smallest inputs that reach all that was reached')
  .addHelpText(
    'after',
    `
Examples:
  $ npm test -- fuzz
  $ npm test -- fuzz --minutes 1 --target request-heads --seed 7

An input for which something does not hold is written to ${reports}/, the figures to reports/fuzz.json.

Exit codes: 0 everything held, 1 something did not, 2 wrong usage.`,
  )
  .action(main);

await runCommandLine(program);
