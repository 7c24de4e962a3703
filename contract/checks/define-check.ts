import type { Check, CheckContext, Need } from '../run/model.ts';
import type { Baseline } from './baseline.ts';
import { rulesShownBy } from './rules-shown.ts';

/** What makes a generated check, beside the operation that it is about. */
export interface CheckDefinition {
  /** What comes after the operation in the check's id; its first word is the kind of the check. */
  readonly name: string;
  readonly title: string;
  readonly needs?: readonly Need[];
  /** The status that the check expects, where it is one alone. */
  readonly status?: number;
  readonly run: (context: CheckContext) => Promise<void>;
}

/** A check of an operation, named after it. */
export function defineCheck({ operation, needs: baselineNeeds }: Baseline, definition: CheckDefinition): Check {
  const { name, title, needs = baselineNeeds, status, run } = definition;
  return {
    id: `generated.${operation.operationId}.${name}`,
    layer: 'generated',
    title: `${operation.operationId}: ${title}`,
    rules: rulesShownBy(operation.operationId, status),
    needs: [...new Set(needs)],
    run,
  };
}
