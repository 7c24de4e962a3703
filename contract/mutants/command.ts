import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { largestSeed, wholeNumber } from '../cli/options.ts';
import { messageOf } from '../cli/run-command.ts';
import { drawConditional } from './conditional.ts';
import { isHarmless } from './harmless.ts';
import { serversByKind } from './list/index.ts';
import { lineOf, markdownOf, passes, scoreLines, scoreOf } from './report.ts';
import { isAsExpected, type MutantResult } from './run-mutant.ts';
import { runMutants } from './workers.ts';

interface Options {
  readonly checks?: readonly string[];
  readonly only?: string;
  readonly conditional?: number;
  readonly seed: number;
  readonly markdown: string;
}

const { stdout } = process;
const report = 'reports/mutants.md';

async function run(worker: URL, given: Options): Promise<boolean> {
  const { only = '', checks, conditional, markdown } = given;
  const names = namesLike(only);
  if (names.length === 0) throw new Error(`No mutant matches ${only}`);
  if (conditional !== undefined) return runConditional(worker, names, given, conditional);
  const startedAt = Date.now();
  if (only === '') {
    const [clean] = await runMutants(worker, ['none'], checks, () => undefined);
    if (!clean || !passes(clean)) {
      console.log(`FAIL the server without a mutation does not pass: ${JSON.stringify(clean)}`);
      return false;
    }
    console.log(`The server without a mutation passes (${clean.seconds.toFixed(1)} s).`);
  }
  const results = await runAll(worker, names, checks);
  console.log(scoreLines(scoreOf(results)).join('\n'));
  console.log(`${names.length} servers in ${Math.round((Date.now() - startedAt) / 1000)} s; see ${markdown}`);
  await mkdir(dirname(markdown), { recursive: true });
  await writeFile(markdown, markdownOf(results));
  return results.every(isRight);
}

const isRight = (result: MutantResult) => (isHarmless(result.name) ? passes(result) : isAsExpected(result));

/** Runs servers, and tells of each; on a terminal, of those alone that are not as they should be. */
async function runAll(worker: URL, names: readonly string[], checks: Options['checks']): Promise<MutantResult[]> {
  let done = 0;
  return runMutants(worker, names, checks, (result) => {
    done += 1;
    if (stdout.isTTY) stdout.write('\r\u001b[K');
    if (!stdout.isTTY || !isRight(result)) console.log(lineOf(result));
    if (stdout.isTTY && done < names.length) stdout.write(`${done} of ${names.length} servers`);
  });
}

/** Mutants, or harmless variants, that show only under a condition: a sample, because there are more than could be listed. */
async function runConditional(
  worker: URL,
  plain: readonly string[],
  { checks, seed }: Options,
  count: number,
): Promise<boolean> {
  const harmless = plain.every(isHarmless);
  const { names, voids } = drawConditional(harmless ? plain : plain.filter((name) => !isHarmless(name)), count, seed);
  const results = await runAll(worker, names, checks);
  const { right = [], wrong = [] } = Object.groupBy(results, (result) =>
    (harmless ? passes(result) : result.first !== undefined) ? 'right' : 'wrong',
  );
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0);
  for (const { name, shown = 0 } of wrong)
    console.log(`not ${harmless ? 'passed' : 'caught'}: ${name} (the fault was sent ${shown} times)`);
  console.log(`${voids.length} other pairs are void: no request meets the condition where the fault shows`);
  console.log(
    `${right.length} of ${names.length} conditional ${harmless ? 'variants passed' : 'mutants caught'}, seed ${seed}, ` +
      `${(seconds / names.length).toFixed(1)} s each`,
  );
  return right.length >= (harmless ? 1 : 0.95) * names.length;
}

function namesLike(only: string): string[] {
  const pattern = new RegExp(only);
  return Object.entries(serversByKind).flatMap(([kind, mutants]) =>
    mutants.map(({ name }) => name).filter((name) => pattern.test(name) || (only !== '' && pattern.test(kind))),
  );
}

/**
 * Breaks a conforming server in many ways, and reports which mutants the suite catches.
 * @param worker the module of a process that runs mutants, which calls `serveTasks`
 */
export async function runMutantsCommand(worker: URL): Promise<void> {
  const program = new Command('mutants')
    .description(
      'Run the contract suite against mutants of a conforming server and against harmless variants of it, and report ' +
        'which mutants it catches and which variants it refuses.',
    )
    .option(
      '--only <pattern>',
      'run the servers whose name or kind matches the regular expression, but not the one without a mutation',
    )
    .option('--conditional <number>', 'run so many of them that show only under a condition', wholeNumber(1, 100_000))
    .option('--seed <number>', 'which conditional mutants are chosen', wholeNumber(0, largestSeed), 1)
    .option('--checks <patterns...>', 'run only these checks, by id; * matches anything')
    .option('--markdown <file>', 'write the tables to a file', report)
    .addHelpText(
      'after',
      '\nThe kind of variants is harmless. Exit code 0 only if a check of its promise catches each mutant first and each\n' +
        'harmless variant passes; with --conditional, if 95 % are caught by any check.',
    )
    .action(async (options: Options) => {
      process.exitCode = (await run(worker, options)) ? 0 : 1;
    });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  await program.parseAsync().catch((error: unknown) => {
    console.log(`FAIL ${messageOf(error)}`);
    process.exitCode = 1;
  });
}
