import { readFile, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { mutantsByKind } from './list/index.ts';
import type { MutantResult } from './run-mutant.ts';
import { runMutants } from './run-mutants.ts';
import { describeResults, isCaught, scoreOf } from './score.ts';
import { lineOf, markdownOf, scoreLines, tableOf } from './tables.ts';

interface Options {
  readonly only?: string;
  readonly everyLayer?: boolean;
  readonly json?: string;
  readonly markdown?: string;
}

const { stdout } = process;
const marker = '<!-- Written by `npm run mutants -- --markdown docs/mutants.md`. -->';

async function run(worker: URL, { only = '', everyLayer = false, json, markdown }: Options): Promise<boolean> {
  const pattern = new RegExp(only);
  const names = Object.entries(mutantsByKind).flatMap(([kind, mutants]) =>
    mutants.map(({ name }) => name).filter((name) => pattern.test(name) || (only !== '' && pattern.test(kind))),
  );
  if (names.length === 0) throw new Error(`No mutant is named like ${only}`);
  const startedAt = Date.now();
  const [clean] = await runMutants(worker, ['none'], true, () => undefined);
  if (!clean || isCaught(clean) || clean.stock !== undefined || clean.problems.length > 0) {
    console.log(`FAIL the server without a mutation does not pass: ${JSON.stringify(clean)}`);
    return false;
  }
  console.log(`The server without a mutation passes (${clean.seconds.toFixed(1)} s).`);
  let done = 0;
  const results = describeResults(
    await runMutants(worker, names, everyLayer, (result) => {
      show(result, (done += 1), names.length);
    }),
  );
  const score = scoreOf(results);
  console.log([tableOf(results), ...scoreLines(score)].join('\n'));
  console.log(`${names.length} mutants in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  if (json !== undefined) await writeFile(json, `${JSON.stringify({ score, mutants: results }, null, 2)}\n`);
  if (markdown !== undefined) {
    const [method = ''] = (await readFile(markdown, 'utf8')).split(marker);
    await writeFile(markdown, `${method}${marker}\n\n${markdownOf(results)}`);
  }
  return score.suite === score.mutants;
}

function show(result: MutantResult, done: number, total: number): void {
  const [mutant] = describeResults([result]);
  if (!mutant) return;
  if (stdout.isTTY) stdout.write('\r\u001b[K');
  if (!stdout.isTTY || !isCaught(mutant)) console.log(lineOf(mutant));
  if (stdout.isTTY && done < total) stdout.write(`${done} of ${total} mutants`);
}

/**
 * Breaks a conforming server in many ways, and tells which of them the suite catches.
 * @param worker the module of a process that runs mutants, which calls `serveTasks`
 */
export async function runMutantsCommand(worker: URL): Promise<void> {
  const program = new Command('mutants')
    .description('Break a conforming server in many ways, one at a time, and tell what the contract suite catches.')
    .option('--only <pattern>', 'run the mutants whose name or kind matches the regular expression')
    .option('--every-layer', 'go on with each mutant after the first failure, to the first of each layer')
    .option('--json <file>', 'write the result as JSON')
    .option('--markdown <file>', 'renew the tables at the end of a page')
    .action(async (options: Options) => {
      process.exitCode = (await run(worker, options)) ? 0 : 1;
    });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  await program.parseAsync().catch((error: unknown) => {
    console.log(`FAIL ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
}
