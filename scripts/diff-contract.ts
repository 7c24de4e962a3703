/** `npm run diff:contract`: compares the contract with the last released one. */
import { styleText } from 'node:util';
import { Command } from 'commander';
import { runCommandLine } from './command-line.ts';
import type { Change } from './release/document.ts';
import { contractFile, judgeContract, type Verdict } from './release/verdict.ts';

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

await runCommandLine(
  new Command('npm run diff:contract --')
    .description('Compare openapi/openapi.yaml with the last contract in openapi/released/.')
    .option('--json', 'print one JSON document, for machines')
    .addHelpText('after', closingHelp)
    .action(async ({ json }: { json?: true }) => {
      const verdict = await judgeContract();
      console.log(json ? JSON.stringify(verdict, null, 2) : verdictText(verdict).trimEnd());
      if (!verdict.announced) process.exitCode = 1;
    }),
);

/** The verdict for people: the changes, breaking ones first, and their consequences for the version. */
function verdictText(verdict: Verdict): string {
  const { released, version, changes, unseen } = verdict;
  const note = unseen === undefined ? '' : `\nNot checked: whether a released contract was edited, as ${unseen}.\n`;
  if (released === undefined) return `No contract is released yet, so there is none to break.\n${note}`;
  const section = (severity: Change['severity'], title: string) => {
    const some = changes.filter((change) => change.severity === severity);
    return some.length === 0 ? '' : `\n${styleText('bold', `${title} (${some.length})`)}\n${list(some)}`;
  };
  return [
    `${released} as released, and ${contractFile}, which says ${version}\n`,
    section('breaking', styleText('red', 'Breaking changes')),
    section('compatible', 'Compatible changes'),
    `\n${styleText(verdict.announced ? 'green' : 'red', conclusion(verdict))}\n${note}`,
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
