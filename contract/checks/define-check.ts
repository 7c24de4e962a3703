import { isSafe } from '../conformance/safe-method.ts';
import type { Check, CheckContext, Need, Source } from '../run/model.ts';
import type { Baseline } from './baseline.ts';
import { type Refusal, rulesShownBy } from './rules-shown.ts';

/** What makes a generated check, beside the operation that it is about. */
export interface CheckDefinition {
  /** What comes after the operation in the check's id; its first word is the kind of the check. */
  readonly name: string;
  readonly title: string;
  readonly needs?: readonly Need[];
  /** What must be refused, if that is all that the check is about. */
  readonly refuses?: Refusal;
  /** Who promises it, if no rule of the interface says so; by default the document. */
  readonly source?: Exclude<Source, 'interface'>;
  /** Whether all that it sends are safe requests; by default what the operation is. */
  readonly readsOnly?: boolean;
  readonly failsToAuthenticate?: Check['failsToAuthenticate'];
  readonly run: (context: CheckContext) => Promise<void>;
}

/** A check of an operation, named after it. */
export function defineCheck({ operation, needs: baselineNeeds }: Baseline, definition: CheckDefinition): Check {
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
    run,
  };
}
