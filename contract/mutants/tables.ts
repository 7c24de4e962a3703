import Table from 'cli-table3';
import { isCaught, type Score, scoreOf, type ScoredFault } from './score.ts';

const caughtBy = ['stock', 'replay', 'rules', 'generated'] as const;

/** One line for a fault whose result is known. */
export function lineOf(fault: ScoredFault): string {
  const seconds = `${fault.seconds.toFixed(1)} s`;
  const by = caughtBy.filter((name) => name !== 'stock' && fault[name] !== undefined).map((name) => fault[name]);
  const told = isCaught(fault) ? by.join(', ') : [fault.breaks, ...fault.problems].join('; ');
  return `${isCaught(fault) ? 'caught' : 'MISSED'} ${fault.name} (${seconds}): ${told}`;
}

/** The table of all faults, for the terminal. */
export function tableOf(faults: readonly ScoredFault[]): string {
  const table = new Table({
    head: ['Fault', 'Dredd', 'With schemas', 'Rules', 'Generated'],
    style: { head: [], border: [] },
  });
  for (const fault of faults) table.push([fault.name, ...caughtBy.map((name) => fault[name] ?? '-')]);
  return table.toString();
}

/** The scores, a line each. */
export function scoreLines(score: Score): string[] {
  const of = (caught: number) => `${caught} of ${score.faults} (${Math.round((100 * caught) / score.faults)}%)`;
  return [
    `Dredd as it comes   ${of(score.stock)}`,
    `Dredd with schemas  ${of(score.replay)}`,
    `The whole suite     ${of(score.suite)}`,
  ];
}

/** The scores and a table for each kind of fault, for the page of documentation. */
export function markdownOf(faults: readonly ScoredFault[]): string {
  const kinds = [...new Set(faults.map(({ kind }) => kind))];
  return [
    ...scoreTable(faults, kinds),
    ...kinds.flatMap((kind) => [
      `\n### ${capitalised(kind)}\n`,
      '| Fault | What the server does | Dredd | With schemas | Rules | Generated |',
      '|---|---|---|---|---|---|',
      ...faults.filter((fault) => fault.kind === kind).map(rowOf),
    ]),
    '',
  ].join('\n');
}

function scoreTable(faults: readonly ScoredFault[], kinds: readonly string[]): string[] {
  const row = (name: string, { faults: all, stock, replay, suite }: Score) =>
    `| ${[name, all, stock, replay, suite].join(' | ')} |`;
  return [
    '| Kind | Faults | Dredd as it comes | Dredd with schemas | The whole suite |',
    '|---|---|---|---|---|',
    ...kinds.map((kind) => row(kind, scoreOf(faults.filter((fault) => fault.kind === kind)))),
    row('**all**', scoreOf(faults)),
  ];
}

function rowOf(fault: ScoredFault): string {
  const name = isCaught(fault) ? fault.name : `**${fault.name}**`;
  const cells = caughtBy.map((by) => (fault[by] === undefined ? '-' : `\`${fault[by].replace(/^replay\./, '')}\``));
  return `| ${[name, fault.breaks, ...cells].join(' | ')} |`.replaceAll('__proto__', '\\_\\_proto\\_\\_');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
