import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { wholeNumber } from '../cli/options.ts';
import { largestSeed } from '../cli/options.ts';
import { conditionalMutants } from './conditional.ts';
import { harmlessVariants, isHarmless } from './harmless/index.ts';
import { mutantsByKind } from './list/index.ts';
import { type MutantOptions, type MutantResult, isAsExpected } from './run-mutant.ts';
import { runMutants } from './run-mutants.ts';
import { describeResults, passes, scoreOf } from './score.ts';
import { harmlessLineOf, lineOf, markdownOf, scoreLines, tableOf } from './tables.ts';

interface Options extends Pick<MutantOptions, 'everyLayer' | 'dredd'> {
  readonly checks?: readonly string[];
  readonly only?: string;
  readonly conditional?: number;
  readonly seed: number;
  readonly json?: string;
  readonly markdown?: string;
  /** Other tools by name; true for all. */
  readonly peers?: readonly string[] | true;
}

/** Compares other tools on these servers. Resolves to whether each of them reached a verdict. */
export type ComparePeers = (comparison: {
  readonly only: readonly string[];
  readonly servers: readonly string[];
  readonly json?: string;
  readonly markdown?: string;
}) => Promise<boolean>;

const { stdout } = process;

async function run(
  worker: URL,
  comparePeers: ComparePeers,
  { only = '', checks, conditional, seed, json, markdown, peers, ...rest }: Options,
): Promise<boolean> {
  const options = { ...rest, ...(checks && { only: checks }) };
  if (conditional !== undefined) return runConditional(worker, conditional, seed, options);
  const names = namesLike(only);
  if (names.length === 0) throw new Error(`No mutant matches ${only}`);
  const files = { ...(json !== undefined && { json }), ...(markdown !== undefined && { markdown }) };
  if (peers) return comparePeers({ only: peers === true ? [] : peers, servers: names, ...files });
  const startedAt = Date.now();
  const [clean] = await runMutants(worker, ['none'], { ...options, everyLayer: true }, () => undefined);
  if (!clean || !passes(clean) || clean.stock !== undefined) {
    console.log(`FAIL the server without a mutation does not pass: ${JSON.stringify(clean)}`);
    return false;
  }
  console.log(`The server without a mutation passes (${clean.seconds.toFixed(1)} s).`);
  let done = 0;
  const results = await runMutants(worker, names, options, (result) => {
    show(result, (done += 1), names.length);
  });
  const mutants = describeResults(results);
  const harmless = results.filter(({ name }) => isHarmless(name));
  const score = scoreOf(results);
  console.log([...(mutants.length > 0 ? [tableOf(mutants)] : []), ...scoreLines(score)].join('\n'));
  console.log(`${names.length} servers in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  if (json !== undefined) await writeFile(json, `${JSON.stringify({ score, mutants, harmless }, null, 2)}\n`);
  if (markdown !== undefined) await writeFile(markdown, markdownOf(mutants, harmless));
  return score.asExpected === score.mutants && score.passed === score.harmless;
}

/** Mutants that show only under a condition: a sample, because there are more than could be listed. */
async function runConditional(worker: URL, count: number, seed: number, options: MutantOptions): Promise<boolean> {
  const names = conditionalMutants(count, seed).map(({ name }) => name);
  let [done, caught] = [0, 0];
  await runMutants(worker, names, options, ({ name, first, seconds }) => {
    done += 1;
    if (first !== undefined) caught += 1;
    if (stdout.isTTY) stdout.write('\r\u001b[K');
    if (first === undefined) console.log(`not caught: ${name} (${seconds.toFixed(1)} s)`);
    if (stdout.isTTY && done < count) stdout.write(`${done} of ${count} conditional mutants, ${caught} caught`);
  });
  console.log(`${caught} of ${count} conditional mutants caught, seed ${seed}`);
  return caught >= 0.95 * count;
}

/** The mutants and harmless variants whose name or kind matches. */
function namesLike(only: string): string[] {
  const pattern = new RegExp(only);
  return Object.entries({ ...mutantsByKind, harmless: harmlessVariants }).flatMap(([kind, mutants]) =>
    mutants.map(({ name }) => name).filter((name) => pattern.test(name) || (only !== '' && pattern.test(kind))),
  );
}

function show(result: MutantResult, done: number, total: number): void {
  const [mutant] = describeResults([result]);
  const isRight = isHarmless(result.name) ? passes(result) : isAsExpected(result);
  if (stdout.isTTY) stdout.write('\r\u001b[K');
  if (!stdout.isTTY || !isRight) console.log(mutant ? lineOf(mutant) : harmlessLineOf(result));
  if (stdout.isTTY && done < total) stdout.write(`${done} of ${total} servers`);
}

/**
 * Breaks a conforming server in many ways, and reports which mutants the suite catches.
 * @param worker the module of a process that runs mutants, which calls `serveTasks`
 * @param comparePeers tests the same servers with other tools
 */
export async function runMutantsCommand(worker: URL, comparePeers: ComparePeers): Promise<void> {
  const program = new Command('mutants')
    .description(
      'Run the contract suite against mutants of a conforming server and against harmless variants of it, and report ' +
        'which mutants it catches and which variants it refuses.',
    )
    .option('--only <pattern>', 'run the mutants whose name or kind matches the regular expression')
    .option('--conditional <number>', 'run so many mutants that show only under a condition', wholeNumber(1, 100_000))
    .option('--seed <number>', 'which conditional mutants are chosen', wholeNumber(0, largestSeed), 1)
    .option('--checks <patterns...>', 'run only these checks, by id; * matches anything')
    .option('--every-layer', 'continue with each mutant after its first failure, until the first of each layer')
    .option('--dredd', 'also run unmodified Dredd on each mutant')
    .option('--peers [names...]', 'test the same servers with other tools instead of the suite: all, or the named ones')
    .option('--json <file>', 'write the result as JSON; with --peers as JSON lines, resuming from existing ones')
    .option('--markdown <file>', 'write the tables to a file')
    .action(async (options: Options) => {
      process.exitCode = (await run(worker, comparePeers, options)) ? 0 : 1;
    });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  await program.parseAsync().catch((error: unknown) => {
    console.log(`FAIL ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
}
