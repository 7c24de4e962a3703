import { Command } from 'commander';
import { type ExitCode, exitCodes } from '../src/cli/errors.ts';
import { printResult } from '../src/cli/output.ts';
import { runScript, type ScriptContext, runAsMain } from './script.ts';
import { judgeContract, contractFile, type Verdict } from './release/verdict.ts';
import { styleText } from 'node:util';
import type { Change } from './release/document.ts';

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

/** The verdict for people: the changes, breaking ones first, and their consequences for the version. */
function verdictText(verdict: Verdict, coloured: boolean): string {
  const paint = (...[style, text]: Parameters<typeof styleText>) =>
    coloured ? styleText(style, text, { validateStream: false }) : text;
  const { released, version, changes, unseen } = verdict;
  const note = unseen === undefined ? '' : `\nNot checked: whether a released contract was edited, as ${unseen}.\n`;
  if (released === undefined) return `No contract is released yet, so there is none to break.\n${note}`;
  const section = (severity: Change['severity'], title: string) => {
    const some = changes.filter((change) => change.severity === severity);
    return some.length === 0 ? '' : `\n${paint('bold', `${title} (${some.length})`)}\n${list(some)}`;
  };
  return [
    `${released} as released, and ${contractFile}, which says ${version}\n`,
    section('breaking', paint('red', 'Breaking changes')),
    section('compatible', 'Compatible changes'),
    `\n${paint(verdict.announced ? 'green' : 'red', conclusion(verdict))}\n${note}`,
  ].join('');
}

function list(changes: Change[]): string {
  return [...Map.groupBy(changes, ({ where }) => where)]
    .map(([place, some]) => `  ${place}\n${some.map(({ text }) => `    - ${text}\n`).join('')}`)
    .join('');
}

function conclusion({ kind, changes, announced, version, lowestVersion }: Verdict): string {
  if (!announced)
    return (
      `The version does not announce the breaking changes. Take them back, or set info.version in ${contractFile} ` +
      `to ${lowestVersion} or higher.`
    );
  if (kind === 'breaking') return `The version ${version} announces the breaking changes.`;
  const next = `It can be released as ${lowestVersion} or higher.`;
  if (kind === 'none') return `The contract is the released one. ${next}`;
  if (kind === 'text') return `Only texts changed. ${next}`;
  return `Nothing breaks a client${changes.length === 0 ? '; a promise became narrower' : ''}. ${next}`;
}

if (import.meta.main) await runAsMain(runDiffContract);
