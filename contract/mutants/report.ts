/** What a run against mutants has shown, as lines, tables and scores. */
import { isHarmless } from './harmless.ts';
import { serversByKind } from './list/index.ts';
import { isAsExpected, type MutantResult, promisesOf } from './run-mutant.ts';

/** How many of the mutants were caught. */
export type Score = ReturnType<typeof scoreOf>;

const isCaught = ({ first }: MutantResult): boolean => first !== undefined;

/** Whether a server passed the whole suite. */
export function passes(result: MutantResult): boolean {
  return !isCaught(result) && result.problems.length === 0;
}

export function scoreOf(results: readonly MutantResult[]) {
  const harmless = results.filter(({ name }) => isHarmless(name));
  const mutants = results.filter(({ name }) => !isHarmless(name));
  return {
    mutants: mutants.length,
    suite: mutants.filter(isCaught).length,
    asExpected: mutants.filter(isAsExpected).length,
    harmless: harmless.length,
    passed: harmless.filter(passes).length,
  };
}

/** The output line of a mutant or harmless variant. */
export function lineOf(result: MutantResult): string {
  const { name, first, problems } = result;
  const seconds = `${result.seconds.toFixed(1)} s`;
  if (isHarmless(name))
    return passes(result)
      ? `harmless ${name} (${seconds}): passes`
      : `FALSE ALARM ${name} (${seconds}): ${[first ?? 'no check failed', ...problems].join('; ')}`;
  if (isAsExpected(result)) return `caught ${name} (${seconds}): ${first}`;
  const expected = `expected ${promisesOf(name).join(' or ')}`;
  if (isCaught(result)) return `CAUGHT BY ANOTHER CHECK ${name} (${seconds}): ${first}, ${expected}`;
  return `MISSED ${name} (${seconds}): ${[...problems, expected].join('; ')}`;
}

/** The scores, one per line. */
export function scoreLines({ mutants, suite, asExpected, harmless, passed }: Score): string[] {
  const line = (what: string, caught: number, of: number) =>
    `${what.padEnd(20)} ${caught} of ${of} (${Math.round((100 * caught) / of)}%)`;
  return [
    ...(mutants > 0 ? [line('Whole suite', suite, mutants), line('By expected check', asExpected, mutants)] : []),
    ...(harmless > 0 ? [line('Harmless, passed', passed, harmless)] : []),
  ];
}

/** The scores by kind, and each mutant with what caught it, as Markdown. */
export function markdownOf(results: readonly MutantResult[]): string {
  const named = new Map(results.map((result) => [result.name, result]));
  const kinds = Object.entries(serversByKind)
    .map(([kind, servers]) => ({ kind, of: servers.flatMap(({ name }) => named.get(name) ?? []) }))
    .filter(({ of }) => of.length > 0);
  const cells = (of: readonly (string | number)[]) => `| ${of.join(' | ')} |`;
  const scored = (kind: string, of: readonly MutantResult[]) => {
    const score = scoreOf(of);
    const isOfHarmless = score.harmless > 0 && score.mutants === 0;
    return cells([kind, of.length, ...(isOfHarmless ? [score.passed, ''] : [score.suite, score.asExpected])]);
  };
  return [
    '# Mutants',
    '',
    cells(['Kind', 'Servers', 'Caught, or passed if harmless', 'By the expected check']),
    '|---|---|---|---|',
    ...kinds.map(({ kind, of }) => scored(kind, of)),
    ...kinds.flatMap(({ kind, of }) => [
      `\n## ${kind.charAt(0).toUpperCase()}${kind.slice(1)}\n`,
      cells(['Server', 'First failed check']),
      '|---|---|',
      ...of.map(({ name, first = '-' }) => cells([name, first])),
    ]),
    '',
  ].join('\n');
}
