/** `npm test -- fault-injection`: kills the built program or breaks its dependencies while clients call it. */
import { randomInt } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { randomOf } from '../../contract/plan/rows.ts';
import { wholeNumber } from '../../src/cli/arguments.ts';
import { exitCodes } from '../../src/cli/errors.ts';
import { runCommandLine } from '../../scripts/command-line.ts';
import { closeOpened } from '../support/afterwards.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Outcome, Scenario } from './scenario.ts';
import { hostile } from './scenarios/hostile.ts';
import { killed, powerCut } from './scenarios/killed.ts';
import { underFaults } from './scenarios/under-fault.ts';

/** Every scenario: what no test proves that is part of `npm test` or of another suite of CI. */
const scenarios: readonly Scenario[] = [...killed, ...underFaults, powerCut, ...hostile];
const scenarioNames = scenarios.map(({ name }) => name).join(', ');

interface Options {
  readonly only: readonly Scenario[];
  readonly rounds: number;
  readonly seed?: number;
  readonly json: string;
}

const { stdout } = process;

function matching(pattern: string): readonly Scenario[] {
  const chosen = scenarios.filter(({ name }) => new RegExp(pattern).test(name));
  if (chosen.length === 0) throw new InvalidArgumentError(`No scenario matches it: ${scenarioNames}`);
  return chosen;
}

async function main({ only: chosen, rounds, seed = randomInt(2 ** 31), json }: Options): Promise<void> {
  console.log(`${chosen.length} scenarios, ${rounds} rounds, seed ${seed}`);
  const outcomes: Outcome[] = [];
  for (const scenario of chosen) {
    const outcome = await outcomeOf(scenario, rounds, seed);
    outcomes.push(outcome);
    console.log(linesOf(outcome).join('\n'));
  }
  await mkdir(dirname(json), { recursive: true });
  await writeFile(json, `${JSON.stringify({ seed, rounds, scenarios: outcomes }, null, 2)}\n`);
  process.exitCode = outcomes.some(({ problems = [] }) => problems.length > 0) ? exitCodes.failed : exitCodes.done;
}

/** A line for the outcome of a scenario with its figures, and one for each problem. */
function linesOf({ name, missing, seconds = 0, figures, problems = [] }: Outcome): string[] {
  if (missing !== undefined) return [`not run  ${name}: ${missing}`];
  const result = problems.length > 0 ? 'BROKEN' : 'survived';
  const told = JSON.stringify({ seconds, ...figures }, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(2)) : value,
  );
  return [`${result.padEnd(8)} ${name} ${told}`, ...problems.slice(0, 10).map((problem) => `         ${problem}`)];
}

/** A scenario that throws an error counts as failed, and the next one runs. */
async function outcomeOf(
  { name, fault, holds, ...scenario }: Scenario,
  rounds: number,
  seed: number,
): Promise<Outcome> {
  const reason = scenario.missing?.();
  if (reason !== undefined) return { name, fault, holds, missing: reason };
  const folder = await makeTemporaryFolder();
  // PostgreSQL runs as another user, who needs access to the folders below.
  await chmod(folder, 0o711);
  const began = performance.now();
  const progress = (text: string) => {
    if (stdout.isTTY) stdout.write(`\r\u001b[K${name}: ${text}\r`);
  };
  try {
    const result = await scenario
      .run({ folder, rounds, random: randomOf(seed), progress })
      .catch((error: unknown) => ({ problems: [`it failed: ${inspect(error)}`] }));
    return { name, fault, holds, ...result, seconds: (performance.now() - began) / 1000 };
  } finally {
    await closeOpened();
  }
}

const program = new Command('npm test -- fault-injection')
  .description('Kill the program or break its dependencies while clients call it, and check its guarantees.')
  .option('--only <pattern>', 'run the scenarios whose name matches the regular expression', matching, scenarios)
  .option(
    '--rounds <number>',
    'how often the server is killed, and how many seconds hostile clients stay',
    wholeNumber(1, 10_000),
    50,
  )
  .option('--seed <number>', 'repeat the random choices of an earlier run', wholeNumber(0, 2 ** 31 - 1))
  .option('--json <file>', 'the file to write the figures to', 'reports/fault-injection.json')
  .addHelpText(
    'after',
    `
Scenarios: ${scenarioNames}

Examples:
  $ npm test -- fault-injection
  $ npm test -- fault-injection --only killed --rounds 5

Exit codes:
  0  every scenario that could be run here passed
  1  something did not hold, or a scenario failed
  2  wrong usage`,
  )
  .action(main);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void closeOpened().then(() => process.exit(130)));
await runCommandLine(program);
