import { isSafe } from '../conformance/safe-method.ts';
import type { Check, CheckContext, Need, Source } from '../run/model.ts';
import type { Baseline } from './baseline.ts';

/** A generated check, without its operation. */
export interface CheckDefinition {
  /** The part of the check's id after the operation; its first word is the kind of check. */
  readonly name: string;
  readonly title: string;
  readonly needs?: readonly Need[];
  /** Who promises it; the document by default. */
  readonly source?: Source;
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
  const { name, title, needs = baselineNeeds, source = 'document', run } = definition;
  const { readsOnly = isSafe(operation.method), failsToAuthenticate } = definition;
  return {
    id: `generated.${operation.operationId}.${name}`,
    layer: 'generated',
    operation: operation.operationId,
    source,
    title: `${operation.operationId}: ${title}`,
    rules: [],
    needs: [...new Set(needs)],
    readsOnly,
    ...(operation.method === 'delete' && { removes: operation.path }),
    ...(failsToAuthenticate && { failsToAuthenticate }),
    ...(guessed.length > 0 && { guessed }),
    run,
  };
}
