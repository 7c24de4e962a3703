/** Which checks are chosen, and which are known to fail. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileFault } from '../cli/validated-file.ts';
import { literally } from '../document/match.ts';
import { UsageError } from './errors.ts';
import type { Check, CheckResult } from './model.ts';

/** Patterns in which `*` stands for any characters. */
export interface Selection {
  /** If there are any, a check must match one of them. */
  readonly only: readonly string[];
  /** A check must match none of them. */
  readonly skip: readonly string[];
}

/** The reason of a check that was not chosen. */
export const leftOut = 'left out by --only or --skip';

export function notRun(check: CheckResult['check'], reason: string): CheckResult {
  return { check, outcome: 'not run', reason, failures: [], exchanges: 0, durationSeconds: 0 };
}

export function isSelected({ only, skip }: Selection, check: CheckResult['check']): boolean {
  const { id, layer, source, operation = id, rules } = check;
  const names = [id, layer, source, operation, ...rules];
  const matches = (pattern: string) => names.some((name) => patternOf(pattern).test(name));
  return (only.length === 0 || only.some(matches)) && !skip.some(matches);
}

/** A pattern in which `*` stands for any characters, as a regular expression. */
export function patternOf(pattern: string): RegExp {
  const parts = pattern.split('*').map(literally);
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** @throws {UsageError} if a pattern matches no check, or no check is left */
export function requireMatches({ only, skip }: Selection, checks: readonly Check[]): void {
  for (const [option, patterns] of Object.entries({ only, skip }))
    for (const pattern of patterns) {
      // What responses break of the document is known only when they have come.
      const isOfResponses = option === 'skip' && pattern.startsWith('conformance');
      if (!isOfResponses && !checks.some((check) => isSelected({ only: [pattern], skip: [] }, check)))
        throw new UsageError(`--${option} ${pattern} matches no check; --list shows them all`);
    }
  if (checks.length === 0) throw new UsageError('the document has no operation to check');
  if (!checks.some((check) => isSelected({ only, skip }, check)))
    throw new UsageError('--only and --skip leave no check');
}

const heading = '# Checks that are known to fail, one id a line; written by --write-baseline.\n';

/** The checks that a baseline accepts as failed. */
export type KnownFailures = Awaited<ReturnType<typeof readKnownFailures>>;

/**
 * The checks that are known to fail: a file with an id a line, and comments after `#`.
 * @param writes whether the file is to be written after the run; it may be absent then
 * @throws {UsageError} if the file cannot be read, or cannot be written
 */
export async function readKnownFailures(file: string, writes: boolean) {
  const text = await readFile(file, { encoding: 'utf8', flag: writes ? 'a+' : 'r' }).catch((error: unknown) => {
    throw new UsageError(
      `the file ${file} of --baseline cannot be ${writes ? 'written' : 'read'}: ${fileFault(error)}`,
    );
  });
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const known = new Set(lines.map((line) => line.replace(/(^|\s)#.*/, '').trim()).filter((id) => id !== ''));
  return {
    /** A failure that is known is marked. */
    settled: (result: CheckResult): CheckResult =>
      result.outcome === 'failed' && known.has(result.check.id) ? { ...result, outcome: 'known failure' } : result,

    /** The ids to remove from the file: of checks that have passed, and of checks that do not exist. */
    problems: (results: readonly CheckResult[]): string[] =>
      [...known].flatMap((id) => {
        const result = results.find(({ check }) => check.id === id);
        if (result) return result.outcome === 'passed' ? [`${id} is fixed: remove it from ${file}`] : [];
        return isUnseen(id, results) ? [] : [`${file} names ${id}, and there is no such check: remove it`];
      }),

    /** Writes the file anew: what has failed, and what was known and has not been run now. */
    async write(results: readonly CheckResult[]): Promise<number> {
      const failing = results
        .filter(({ outcome, check }) => outcome === 'failed' || (outcome !== 'passed' && known.has(check.id)))
        .map(({ check }) => check.id);
      const unseen = [...known].filter((id) => isUnseen(id, results));
      const ids = [...new Set([...failing, ...unseen])].sort();
      await writeFile(file, heading + ids.map((id) => `${id}\n`).join(''));
      return ids.length;
    },
  };
}

/** Whether a check is about a response that has not come, so that one check, not run, stands for all that it would break. */
function isUnseen(id: string, results: readonly CheckResult[]): boolean {
  return results.some(({ check, outcome }) => outcome === 'not run' && id.startsWith(`${check.id}.`));
}
