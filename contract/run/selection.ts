import type { Check, CheckResult } from './model.ts';
import { UsageError } from './errors.ts';

/** Which checks are chosen, by patterns in which `*` stands for any characters. */
export interface Selection {
  /** If there are any, a check must match one of them. */
  readonly only: readonly string[];
  /** A check must match none of them. */
  readonly skip: readonly string[];
}

/** The reason of a check that was not chosen. */
export const leftOut = 'left out by --only or --skip';

/** The result of a check that was not chosen. */
export function notChosen({ check }: Pick<CheckResult, 'check'>): CheckResult {
  return { check, outcome: 'not run', reason: leftOut, failures: [], exchanges: 0, durationSeconds: 0 };
}

/** Whether a check was not run by choice. */
export function wasLeftOut({ reason }: Pick<CheckResult, 'reason'>): boolean {
  return reason === leftOut;
}

/** Whether a check is chosen. */
export function isSelected({ only, skip }: Selection, check: CheckResult['check']): boolean {
  const matches = (pattern: string) => namesOf(check).some((name) => patternOf(pattern).test(name));
  return (only.length === 0 || only.some(matches)) && !skip.some(matches);
}

/** @throws {UsageError} if a pattern matches no check, or no check is left */
export function requireMatches({ only, skip }: Selection, checks: readonly Check[]): void {
  for (const [option, patterns] of Object.entries({ only, skip }))
    for (const pattern of patterns)
      // What responses break of the document is known only when they have come.
      if (
        !(option === 'skip' && pattern.startsWith('conformance')) &&
        !checks.some((check) => isSelected({ only: [pattern], skip: [] }, check))
      )
        throw new UsageError(`--${option} ${pattern} matches no check; --list shows them all`);
  if (checks.length === 0) throw new UsageError('the document has no operation to check');
  if (!checks.some((check) => isSelected({ only, skip }, check)))
    throw new UsageError('--only and --skip leave no check');
}

/** What a pattern is compared with. */
function namesOf({ id, layer, source, operation, rules }: CheckResult['check']): string[] {
  return [id, layer, source, ...(operation === undefined ? [] : [operation]), ...rules];
}

/** A pattern in which `*` stands for any characters, as a regular expression. */
export function patternOf(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
