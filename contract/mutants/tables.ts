import Table from 'cli-table3';
import { harmlessVariants } from './harmless/index.ts';
import { checksAbout } from './list/index.ts';
import { isAsExpected, type MutantResult } from './run-mutant.ts';
import { isCaught, passes, type Score, scoreOf, type ScoredMutant } from './score.ts';

const caughtBy = ['stock', 'conformance', 'replay', 'rules', 'generated'] as const;

/** One line for a mutant whose result is known. */
export function lineOf(mutant: ScoredMutant): string {
  const seconds = `${mutant.seconds.toFixed(1)} s`;
  const by = caughtBy.filter((name) => name !== 'stock' && mutant[name] !== undefined).map((name) => mutant[name]);
  const told = isCaught(mutant) ? by.join(', ') : [mutant.breaks, ...mutant.problems].join('; ');
  const verdict = isAsExpected(mutant) ? 'caught' : isCaught(mutant) ? 'CAUGHT BY ANOTHER CHECK' : 'MISSED';
  const expected = isAsExpected(mutant)
    ? ''
    : `, not by ${checksAbout(mutant.name).join(' or ') || 'any that is named'}`;
  return `${verdict} ${mutant.name} (${seconds}): ${told}${expected}`;
}

/** One line for a harmless variant whose result is known. */
export function harmlessLineOf(result: MutantResult): string {
  const told = passes(result) ? 'passes' : [result.first ?? 'no check has failed', ...result.problems].join('; ');
  return `${passes(result) ? 'harmless' : 'FALSE ALARM'} ${result.name} (${result.seconds.toFixed(1)} s): ${told}`;
}

/** The table of all mutants, for the terminal. */
export function tableOf(mutants: readonly ScoredMutant[]): string {
  const table = new Table({
    head: ['Mutant', 'Dredd', 'Conformance', 'Replay', 'Rules', 'Generated'],
    style: { head: [], border: [] },
  });
  for (const mutant of mutants) table.push([mutant.name, ...caughtBy.map((name) => mutant[name] ?? '-')]);
  return table.toString();
}

/** The scores, a line each. */
export function scoreLines(score: Score): string[] {
  const of = (caught: number, all: number) => `${caught} of ${all} (${Math.round((100 * caught) / all)}%)`;
  return [
    ...(score.stock > 0 ? [`Dredd as it comes    ${of(score.stock, score.mutants)}`] : []),
    ...(score.mutants > 0
      ? [
          `The whole suite      ${of(score.suite, score.mutants)}`,
          `By the right check   ${of(score.asExpected, score.mutants)}`,
        ]
      : []),
    ...(score.harmless > 0 ? [`Harmless and passed  ${of(score.passed, score.harmless)}`] : []),
  ];
}

/** The scores and a table for each kind of mutant, for the page of documentation. */
export function markdownOf(mutants: readonly ScoredMutant[], harmless: readonly MutantResult[] = []): string {
  const kinds = [...new Set(mutants.map(({ kind }) => kind))];
  return [
    ...scoreTable(mutants, kinds),
    ...kinds.flatMap((kind) => [
      `\n### ${capitalised(kind)}\n`,
      '| Mutant | What the server does | Dredd | Conformance | Replay | Rules | Generated |',
      '|---|---|---|---|---|---|---|',
      ...mutants.filter((mutant) => mutant.kind === kind).map(rowOf),
    ]),
    ...harmlessTable(harmless),
    '',
  ].join('\n');
}

function scoreTable(mutants: readonly ScoredMutant[], kinds: readonly string[]): string[] {
  const row = (name: string, { mutants: all, stock, suite }: Score) => `| ${[name, all, stock, suite].join(' | ')} |`;
  return [
    '| Kind | Mutants | Dredd as it comes | The whole suite |',
    '|---|---|---|---|',
    ...kinds.map((kind) => row(kind, scoreOf(mutants.filter((mutant) => mutant.kind === kind)))),
    row('**all**', scoreOf(mutants)),
  ];
}

function harmlessTable(results: readonly MutantResult[]): string[] {
  if (results.length === 0) return [];
  const differs = new Map(harmlessVariants.map((variant) => [variant.name, variant.breaks]));
  return [
    '\n### Harmless variants\n',
    '| Variant | What differs | False alarm |',
    '|---|---|---|',
    ...results.map((result) => `| ${result.name} | ${differs.get(result.name)} | ${result.first ?? '-'} |`),
  ];
}

function rowOf(mutant: ScoredMutant): string {
  const name = isCaught(mutant) ? mutant.name : `**${mutant.name}**`;
  const cells = caughtBy.map((by) =>
    mutant[by] === undefined ? '-' : `\`${mutant[by].replace(/^(replay|conformance)\./, '')}\``,
  );
  return `| ${[name, mutant.breaks, ...cells].join(' | ')} |`.replaceAll('__proto__', '\\_\\_proto\\_\\_');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
