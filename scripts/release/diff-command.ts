import { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../src/cli/errors.ts';
import { printResult } from '../../src/cli/output.ts';
import { runScript, type ScriptContext } from '../script.ts';
import { judgeContract } from './verdict.ts';
import { verdictText } from './verdict-text.ts';

const closingHelp = `
Versions follow semantic versioning. A change is announced by a version of at least

  change      before 1.0.0    from 1.0.0
  breaking    0.(y+1).0       (x+1).0.0
  compatible  0.y.(z+1)       x.(y+1).0
  text only   0.y.(z+1)       x.y.(z+1)

Only a breaking change must be announced before it is released: by info.version in openapi/openapi.yaml.

Exit codes:
  0  nothing is broken, or the version announces it
  1  a breaking change is not announced, or a released contract was edited
  2  wrong usage`;

/** `npm run diff:contract`: compares the contract with the last released one, and returns the exit code. */
export function runDiffContract(argv: string[], context: ScriptContext): Promise<ExitCode> {
  const command = new Command('npm run diff:contract --')
    .description('Compare openapi/openapi.yaml with the last contract in openapi/released/.')
    .option('--json', 'print one JSON document, for machines')
    .addHelpText('after', closingHelp);
  return runScript(command, argv, context, async () => {
    const { stdout, environment, root } = context;
    const verdict = await judgeContract(root);
    const coloured = stdout.isTTY === true && !environment['NO_COLOR'];
    await printResult(context, command.opts(), verdict, () => verdictText(verdict, coloured).trimEnd());
    return verdict.announced ? exitCodes.done : exitCodes.failed;
  });
}
