import { styleText } from 'node:util';
import type { Change } from './change.ts';
import { contractFile, type Verdict } from './verdict.ts';

/** The verdict for people: the changes, breaking ones first, and their consequences for the version. */
export function verdictText(verdict: Verdict, coloured: boolean): string {
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
  const places = [...new Set(changes.map(({ where }) => where))];
  return places
    .map((place) => {
      const texts = changes.filter(({ where }) => where === place).map(({ text }) => `    - ${text}\n`);
      return `  ${place}\n${texts.join('')}`;
    })
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
