/**
 * `npm test -- fuzz`: gives the parsers that strangers reach made-up input, and keeps what is worth giving again. Each target
 * has a process of its own: what it takes may end that, or never let it go.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { exitCodes } from '../../src/cli/errors.ts';
import { closeOpened } from '../support/afterwards.ts';
import { provideGlobals } from '../jest/provide-globals.ts';
import { minutesUpTo, runCommandLine } from '../../scripts/command-line.ts';
import { lineOf, nameOf, readCorpus, writeCorpus } from './corpus.ts';
import { fuzz, type FuzzProgress } from './fuzz-target.ts';
import { openTarget, targets } from './targets/index.ts';

interface Options {
  readonly minutes: number;
  readonly target?: string;
  readonly seed?: number;
  readonly keep?: boolean;
}

/** What a target's process is told to do. */
interface FuzzOrder {
  readonly target: string;
  readonly seconds: number;
  readonly seed: number;
  /** Whether the corpus in the repository is written anew. */
  readonly keep: boolean;
  /** Where each input is written before it runs. */
  readonly inputFile: string;
}

/** What it tells: how far it is, from time to time; at last also the fault, or that there is none. */
interface FuzzReport extends Partial<FuzzProgress> {
  readonly ended: boolean;
  readonly fault?: string | undefined;
}

const reports = 'reports/fuzz';
const reportMilliseconds = 500;
/** A process that tells nothing for so long hangs in one input. */
const silentMilliseconds = 120_000;
const mebibytes = 1024;

async function main({ minutes: all, target, seed = randomInt(2 ** 31), keep = false }: Options): Promise<void> {
  const names = target === undefined ? Object.keys(targets) : [target];
  const seconds = (all * 60) / names.length;
  await mkdir(reports, { recursive: true });
  console.log(`${names.length} targets, ${Math.round(seconds)} s each, seed ${seed}`);
  const results: Record<string, FuzzReport> = {};
  for (const name of names) {
    const inputFile = join(reports, `${name}.input`);
    const report = await fuzzApart({ target: name, seconds, seed, keep, inputFile });
    results[name] = report;
    console.log(progressLine(name, report));
    if (report.fault === undefined) continue;
    process.exitCode = exitCodes.failed;
    const input = await readFile(inputFile);
    const kept = join(reports, `${name}-${nameOf(input)}.jsonl`);
    await writeFile(kept, lineOf(input));
    console.error(
      `FAULT ${name}: ${report.fault}\nThe input is in ${kept}. Mend the fault, and keep the input:\n  cat ${kept} >> test/fuzz/corpus/${name}.jsonl`,
    );
  }
  await writeFile('reports/fuzz.json', `${JSON.stringify({ seed, minutes: all, results }, null, 2)}\n`);
}

/** Fuzzes a target in a process of its own. */
async function fuzzApart(order: FuzzOrder): Promise<FuzzReport> {
  const child = fork(import.meta.filename, { execArgv: [`--max-old-space-size=${mebibytes}`] });
  let last: FuzzReport = { ended: false };
  const show = (text: string) => process.stdout.isTTY && process.stdout.write(`\r\u001b[K${text}`);
  const silence = setTimeout(() => child.kill('SIGKILL'), silentMilliseconds);
  child.on('message', (report: FuzzReport) => {
    silence.refresh();
    last = report;
    show(progressLine(order.target, report));
  });
  child.send(order);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(silence);
  show('');
  if (last.ended) return last;
  const hung = signal === 'SIGKILL' ? `it hung for ${silentMilliseconds / 1000} s` : undefined;
  return { ...last, fault: hung ?? `its process ended with ${signal ?? code}` };
}

function progressLine(name: string, report: FuzzReport): string {
  const { executions = 0, corpus = 0, functions = 0, slowestMilliseconds = 0, peakMebibytes = 0 } = report;
  return `${name}: ${executions} inputs, ${corpus} kept, ${functions} functions, slowest ${slowestMilliseconds} ms, ${peakMebibytes} MiB`;
}

/** Fuzzes a target in this process. */
async function obey({ target: name, seconds, seed, keep, inputFile }: FuzzOrder): Promise<void> {
  const tell = (report: FuzzReport, then = () => undefined) => process.send?.(report, then);
  const target = await openTarget(name);
  let reported = 0;
  const { progress, corpus, fault } = await fuzz(
    target,
    { seconds, seed, kept: await readCorpus(name) },
    (input, now) => {
      writeFileSync(inputFile, input);
      if (performance.now() - reported < reportMilliseconds) return;
      reported = performance.now();
      tell({ ...now, ended: false });
    },
  );
  if (fault) writeFileSync(inputFile, fault.input);
  else if (keep) await writeCorpus(name, corpus);
  await closeOpened();
  tell({ ...progress, ended: true, fault: fault?.message }, () => process.exit());
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

if (process.send === undefined) await runCommandLine(program);
else {
  // Targets use what the tests share.
  provideGlobals();
  process.once('message', (order: FuzzOrder) => void obey(order));
  // Nobody is there to be told.
  process.once('disconnect', () => process.exit());
}
