import Table from 'cli-table3';
import { harmlessVariants } from './harmless/index.ts';
import { isAsExpected, type MutantResult, promisesOf } from './run-mutant.ts';
import { isCaught, passes, type Score, scoreOf, type ScoredMutant } from './score.ts';

const headings = {
  stock: 'Dredd',
  conformance: 'Conformance',
  replay: 'Replay',
  rules: 'Rules',
  generated: 'Generated',
  explored: 'Explored',
} as const;
const caughtBy = Object.keys(headings) as (keyof typeof headings)[];

/** Omits the columns of layers that did not run or caught nothing. */
function columnsOf(mutants: readonly MutantResult[]) {
  return caughtBy.filter((name) => mutants.some((mutant) => mutant[name] !== undefined));
}

/** The output line of a mutant. */
export function lineOf(mutant: ScoredMutant): string {
  const seconds = `${mutant.seconds.toFixed(1)} s`;
  const by = caughtBy.filter((name) => name !== 'stock' && mutant[name] !== undefined).map((name) => mutant[name]);
  const told = isCaught(mutant) ? by.join(', ') : [mutant.breaks, ...mutant.problems].join('; ');
  const verdict = isAsExpected(mutant) ? 'caught' : isCaught(mutant) ? 'CAUGHT BY ANOTHER CHECK' : 'MISSED';
  const expected = isAsExpected(mutant) ? '' : `, expected ${promisesOf(mutant.name).join(' or ')}`;
  return `${verdict} ${mutant.name} (${seconds}): ${told}${expected}`;
}

/** The output line of a harmless variant. */
export function harmlessLineOf(result: MutantResult): string {
  const told = passes(result) ? 'passes' : [result.first ?? 'no check failed', ...result.problems].join('; ');
  return `${passes(result) ? 'harmless' : 'FALSE ALARM'} ${result.name} (${result.seconds.toFixed(1)} s): ${told}`;
}

/** The table of all mutants, for the terminal. */
export function tableOf(mutants: readonly ScoredMutant[]): string {
  const columns = columnsOf(mutants);
  const table = new Table({
    head: ['Mutant', ...columns.map((name) => headings[name])],
    style: { head: [], border: [] },
  });
  for (const mutant of mutants) table.push([mutant.name, ...columns.map((name) => mutant[name] ?? '-')]);
  return table.toString();
}

/** The scores, one per line. */
export function scoreLines(score: Score): string[] {
  const of = (caught: number, all: number) => `${caught} of ${all} (${Math.round((100 * caught) / all)}%)`;
  return [
    ...(score.stock > 0 ? [`Unmodified Dredd     ${of(score.stock, score.mutants)}`] : []),
    ...(score.mutants > 0
      ? [
          `Whole suite          ${of(score.suite, score.mutants)}`,
          `By expected check    ${of(score.asExpected, score.mutants)}`,
        ]
      : []),
    ...(score.harmless > 0 ? [`Harmless, passed     ${of(score.passed, score.harmless)}`] : []),
  ];
}

/** The scores and a table for each kind of mutant, for the documentation. */
export function markdownOf(mutants: readonly ScoredMutant[], harmless: readonly MutantResult[] = []): string {
  const kinds = [...new Set(mutants.map(({ kind }) => kind))];
  const columns = columnsOf(mutants);
  return [
    ...scoreTable(mutants, kinds),
    ...kinds.flatMap((kind) => [
      `\n### ${capitalised(kind)}\n`,
      `| Mutant | What the server does | ${columns.map((name) => headings[name]).join(' | ')} |`,
      `|---|---|${'---|'.repeat(columns.length)}`,
      ...mutants.filter((mutant) => mutant.kind === kind).map((mutant) => rowOf(mutant, columns)),
    ]),
    ...harmlessTable(harmless),
    '',
  ].join('\n');
}

function scoreTable(mutants: readonly ScoredMutant[], kinds: readonly string[]): string[] {
  const withDredd = mutants.some(({ stock }) => stock !== undefined);
  const row = (name: string, { mutants: all, stock, suite, asExpected }: Score) =>
    `| ${[name, all, ...(withDredd ? [stock] : []), suite, asExpected].join(' | ')} |`;
  return [
    `| Kind | Mutants |${withDredd ? ' Unmodified Dredd |' : ''} Whole suite | By expected check |`,
    `|---|---|${withDredd ? '---|' : ''}---|---|`,
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

function rowOf(mutant: ScoredMutant, columns: readonly (typeof caughtBy)[number][]): string {
  const name = isCaught(mutant) ? mutant.name : `**${mutant.name}**`;
  const cells = columns.map((by) =>
    mutant[by] === undefined ? '-' : `\`${mutant[by].replace(/^(replay|conformance)\./, '')}\``,
  );
  return `| ${[name, mutant.breaks, ...cells].join(' | ')} |`.replaceAll('__proto__', '\\_\\_proto\\_\\_');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
