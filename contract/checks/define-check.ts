import { isSafe } from '../conformance/safe-method.ts';
import type { Check, CheckContext, Need, Source } from '../run/model.ts';
import type { Baseline } from './baseline.ts';
import { type Refusal, rulesShownBy } from './rules-shown.ts';

/** A generated check, without its operation. */
export interface CheckDefinition {
  /** The part of the check's id after the operation; its first word is the kind of check. */
  readonly name: string;
  readonly title: string;
  readonly needs?: readonly Need[];
  /** What the request must be refused for, if the check shows only that. */
  readonly refuses?: Refusal;
  /** Who promises it, unless a rule of the interface does; the document by default. */
  readonly source?: Exclude<Source, 'interface'>;
  /** Whether it sends only safe requests; by default, whether the operation is safe. */
  readonly readsOnly?: boolean;
  readonly failsToAuthenticate?: Check['failsToAuthenticate'];
  readonly run: (context: CheckContext) => Promise<void>;
}

/** Defines a check of an operation and names it after the operation. */
export function defineCheck(
  { operation, needs: baselineNeeds, guessed }: Baseline,
  definition: CheckDefinition,
): Check {
  const { name, title, needs = baselineNeeds, refuses, source = 'document', run } = definition;
  const { readsOnly = isSafe(operation.method), failsToAuthenticate } = definition;
  const rules = rulesShownBy(operation.operationId, refuses);
  return {
    id: `generated.${operation.operationId}.${name}`,
    layer: 'generated',
    operation: operation.operationId,
    source: rules.length > 0 ? 'interface' : source,
    title: `${operation.operationId}: ${title}`,
    rules,
    needs: [...new Set(needs)],
    readsOnly,
    ...(operation.method === 'delete' && { removes: operation.path }),
    ...(failsToAuthenticate && { failsToAuthenticate }),
    ...(guessed.length > 0 && { guessed }),
    run,
  };
}
